"""A file holds the solution to the bit; a damaged or hostile one is one clear error, and runs and allocates nothing."""

import hashlib
import json
import os
import struct
import tracemalloc

import jax
import numpy as np
import pytest

from qres.networks import Architecture
from qres.posed import Positive
from qres.problems import Problem
from qres.residuals import create_model
from qres.results import Record, Result
from qres.runtime.errors import InputError
from qres.solution import Solution, load


def make(**options):
    problem = Problem(
        "u_t = k*u_xx + c*u", {"t": (0, "pi"), "x": (-1, 1)}, ["u(0, x) = sin(pi*x)"],
        constants={"k": "1/10"}, unknowns={"c": Positive(0.3)}, periodic=["x"], name="kept",
    )  # fmt: skip
    network = Architecture(width=3, depth=2, **options).build(problem, key=jax.random.key(0))
    history = [Record(total=1, loss=0.5)]
    return Solution(problem, create_model(problem, network), Result(widths=(2, 3, 3, 1)), history)


@pytest.fixture(scope="module")
def solution():
    return make()


@pytest.fixture
def file(solution, tmp_path):
    return solution.save(tmp_path / "a.qres")


@pytest.mark.parametrize("options", [{}, {"kind": "apinn"}, {"kind": "isc"}, {"fourier_features": 3}])
def test_the_way_there_and_back_keeps_every_bit(options, tmp_path):
    before = make(**options)
    after = load(before.save(tmp_path / "a.qres"))
    for a, b in zip(jax.tree.leaves(before.model), jax.tree.leaves(after.model), strict=True):
        np.testing.assert_array_equal(a, b)
    at = {"t": np.linspace(0, 3, 7), "x": np.linspace(-1, 1, 7)}
    np.testing.assert_array_equal(before("u_xx", **at), after("u_xx", **at))
    assert after.problem.to_dict() == before.problem.to_dict()
    assert after.history == before.history
    assert after.result.widths == (2, 3, 3, 1)
    assert np.isnan(after.result.loss)
    assert list(tmp_path.iterdir()) == [tmp_path / "a.qres"]  # no temporary file is left


def refused(path, limit=50_000_000):
    """The message, which is one line that names the file; little memory was used on the way."""
    tracemalloc.start()
    with pytest.raises(InputError) as caught:
        load(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < limit
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_no_such_file(tmp_path):
    assert "no such file" in refused(tmp_path / "missing.qres")
    assert "no such file" in refused(tmp_path)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.3, 0.7, 0.999])
def test_truncated(file, share):
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    refused(file)


@pytest.mark.parametrize("seed", range(5))
def test_random_bytes(tmp_path, seed):
    path = tmp_path / "random.qres"
    path.write_bytes(np.random.default_rng(seed).bytes(3000))
    refused(path)


def test_a_huge_header_length(file):
    for length in (2**63, 2**40, 2**31, 10**8):
        file.write_bytes(struct.pack("<Q", length) + file.read_bytes()[8:])
        refused(file)


def edit(path, change):
    """The same file with another header."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    del header["__metadata__"]["sha256"]
    metadata = {name: json.loads(text) for name, text in header["__metadata__"].items()}
    raw = change(metadata, header)
    if raw is None:
        header["__metadata__"] = {name: json.dumps(value) for name, value in metadata.items()}
    blank = "0" * 64  # the digest fits again, so that whatever is refused is refused for what it says
    header["__metadata__"]["sha256"] = blank
    text = json.dumps(header, separators=(",", ":")).encode()
    altered = struct.pack("<Q", len(text)) + text + content[8 + length :]
    path.write_bytes(altered.replace(blank.encode(), hashlib.sha256(altered).hexdigest().encode(), 1))


def put(section, **values):
    return lambda metadata, header: metadata[section].update(values)


HOSTILE = {
    "a huge width": put("architecture", width=10**9),
    "a huge depth": put("architecture", depth=10**9),
    "huge hidden widths": put("architecture", hidden=[10**9, 10**9]),
    "another width": put("architecture", width=4),
    "a width of the wrong type": put("architecture", width="3"),
    "a width that is a list": put("architecture", width=[3]),
    "hidden of the wrong type": put("architecture", hidden=7),
    "huge harmonics": put("architecture", harmonics=10**9),
    "huge Fourier features": put("architecture", fourier_features=10**9),
    "an unknown kind": put("architecture", kind="os.system"),
    "an unknown key": put("architecture", hook="__import__('os')"),
    "code in an equation": put("problem", equations=["__import__('os').system('true')"]),
    "equations of the wrong type": put("problem", equations={"a": 1}),
    "a domain of the wrong type": put("problem", domain=[1, 2]),
    "a domain that is not a number": put("problem", domain={"t": [0, float("nan")], "x": [-1, 1]}),
    "another domain": put("problem", domain={"t": [0, 1]}, conditions=[], periodic=[]),
    "an architecture that is a list": lambda m, h: m.update(architecture=[1]),
    "a problem that is text": lambda m, h: m.update(problem="burgers"),
    "a summary that is a number": lambda m, h: m.update(summary=3),
    "a history of the wrong type": lambda m, h: m.update(history=[1, 2]),
    "no problem": lambda m, h: m.pop("problem") and None,
    "another format": lambda m, h: m.update(format="99"),
    "weights of another shape": lambda m, h: h[next(n for n in h if n.endswith("W1"))].update(shape=[1, 9]),
    "weights missing": lambda m, h: h.update(other=h.pop(next(n for n in h if n.endswith("W1")))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_headers(file, name):
    edit(file, HOSTILE[name])
    refused(file)


@pytest.mark.parametrize("seed", range(40))
def test_one_flipped_bit_anywhere_is_found(file, seed):
    content = bytearray(file.read_bytes())
    place = int(np.random.default_rng(seed).integers(len(content)))
    content[place] ^= 1 << (seed % 8)
    file.write_bytes(content)
    refused(file)


def test_a_name_in_the_header_that_is_altered_is_no_file_without_a_digest(file):
    file.write_bytes(file.read_bytes().replace(b'"sha256"', b'"sha257"'))
    assert "digest" in refused(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this machine")
@pytest.mark.parametrize("form", ["a name", "a table", "data"])
def test_loading_opens_nothing_but_the_file(file, tmp_path, form):
    """A FIFO that nobody writes to would hang whoever opens it."""
    fifo = str(tmp_path / "fifo.csv")
    os.mkfifo(fifo)
    stated = {
        "a name": {"reference": fifo},
        "a table": {"reference": {"file": fifo}},
        "data": {"data": {"file": fifo}},
    }
    edit(file, put("problem", **stated[form]))
    solution = load(file)
    if form != "data":
        assert solution.errors == {}  # not one that can be read
        assert "reference" in load(solution.save(tmp_path / "again.qres")).problem.to_dict()


def test_deep_json(file):
    def deep(metadata, header):
        header["__metadata__"]["problem"] = "[" * 100_000 + "]" * 100_000
        return True

    edit(file, deep)
    refused(file)


def test_safetensors_of_something_else(tmp_path):
    from safetensors.numpy import save_file

    save_file({"a": np.zeros(3)}, tmp_path / "other.safetensors")
    assert "not a solution of qres" in refused(tmp_path / "other.safetensors")


def test_weights_that_are_not_numbers_load_and_show(solution, tmp_path):
    """Not finite weights are a result, not an attack: values are not numbers, and nothing fails."""
    broken = Solution(solution.problem, jax.tree.map(lambda leaf: np.full_like(leaf, np.nan), solution.model))
    assert np.isnan(load(broken.save(tmp_path / "nan.qres"))("u", t=0.1, x=0.2))
