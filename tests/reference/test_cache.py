import numpy as np
import pytest

from qres.reference import Gridded, cache
from qres.reference.cache import cache_file, cached
from qres.reference.periodic import PROBLEMS, Resolution


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("QRES_CACHE", str(tmp_path))
    return tmp_path


class Counted:
    """Computes a small table, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Gridded:
        self.calls += 1
        axes = {"t": np.array([0.0, 1.0]), "x": np.array([0.1, 0.2, 0.3])}
        return Gridded(axes, {"u": np.arange(6.0).reshape(2, 3)}, {"error": 1e-9, "method": "none"})


def assert_identical(one: Gridded, other: Gridded) -> None:
    """Names, order, values to the last bit, and attributes."""
    for mine, yours in ((one.axes, other.axes), (one.fields, other.fields)):
        assert list(mine) == list(yours)
        for name in mine:
            np.testing.assert_array_equal(mine[name], yours[name], strict=True)
    assert dict(one.attributes) == dict(other.attributes)


def test_slow_results_are_computed_once(folder):
    compute = Counted()
    first, second = (cached("name", [1, 2.5], compute, slow=0.0) for _ in range(2))
    assert compute.calls == 1
    assert_identical(first, second)
    assert [path.name for path in (folder / "reference").iterdir()] == [cache_file("name", [1, 2.5]).name]


def test_fast_results_are_not_kept(folder):
    cached("name", 1, Counted(), slow=1000.0)
    assert not (folder / "reference").exists()


@pytest.mark.parametrize("content", [b"", b"not a NumPy file", b"PK\x03\x04" + bytes(100), b"\x93NUMPY"])
def test_a_broken_file_is_computed_again(content):
    path, compute = cache_file("name", 1), Counted()
    path.parent.mkdir()
    path.write_bytes(content)
    cached("name", 1, compute, slow=0.0)
    cached("name", 1, compute, slow=0.0)
    assert compute.calls == 1
    assert path.read_bytes() != content


def test_a_truncated_file_is_computed_again():
    path, compute = cache_file("name", 1), Counted()
    cached("name", 1, compute, slow=0.0)
    path.write_bytes(path.read_bytes()[:700])
    assert_identical(cached("name", 1, compute, slow=0.0), compute())


def test_a_folder_that_cannot_be_written_is_not_fatal(folder, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv("QRES_CACHE", str(folder / "file"))
    assert cached("name", 1, Counted(), slow=0.0).attributes["error"] == 1e-9


def test_the_key_is_all_that_determines_a_result(monkeypatch):
    keys = {cache_file("a", [1, 2.0]), cache_file("b", [1, 2.0]), cache_file("a", [1, 2.1])}
    monkeypatch.setattr(cache, "VERSION", cache.VERSION + 1)
    assert len(keys | {cache_file("a", [1, 2.0])}) == 4


def test_a_solution_reads_back_as_it_was():
    """Through the file or not: the same fields, coordinates and attributes."""
    problem, small = PROBLEMS["allen-cahn"], Resolution(64, 1e-2)

    def compute() -> Gridded:
        return problem.gridded(small)

    written, read = (cached("kdv", problem.specification(small), compute, slow=0.0) for _ in range(2))
    assert_identical(written, read)
