"""A run that was cut off goes on to the same bits, though every heuristic and default has changed since."""

from typing import Any

import jax
import numpy as np
import pytest

import qres
from qres.fields import Time
from qres.runs import RunFolder, Specification
from qres.training._assembly import build_model, build_objective

SMALL = qres.Sampling(points=60, condition_points=10, resample_every=15)
QUIET: dict[str, Any] = {"progress": False, "estimate": False}
METRES = np.linspace(0.0, 2e-3, 40)
CASES = {
    "release": {
        "equations": "u_tt + 400*u = 0",
        "domain": {"t": [0, 3]},
        "conditions": ["u(0) = 1", "u_t(0) = 0"],
    },
    "smoothing": {
        "equations": "u_t = 0.05*u_xx",
        "domain": {"t": [0, 1], "x": [-1, 1]},
        "conditions": ["u(0, x) = x^2"],
        "periodic": ["x"],
        "hard": True,
    },
    "surfaces": {
        "equations": "u_xx + u_yy = -4e5",
        "domain": {"x": [-1, 1], "y": [-1, 1]},
        "inside": "0.1 < x^2 + y^2 < 1",
        "conditions": ["u = 1e5 on x^2 + y^2 = 0.1", "u = 0 on x^2 + y^2 = 1"],
        "hard": True,
    },
    "discrete": {
        "equations": "u_t = u_xx",
        "domain": {"t": [0, 0.1], "x": [0, 1]},
        "conditions": ["u(0, x) = x", "u(t, 0) = 0", "u_x(t, 1) = 1"],
        "hard": True,
    },
    "units": {
        "equations": "T_xx = -q",
        "domain": {"x": [0, 2e-3]},
        "conditions": ["T(0) = 300", "T(2e-3) = 300"],
        "unknowns": {"q": 1e7},
        "hard": False,
        "data": qres.Data({"x": METRES, "T": 300 + 5e6 * METRES * (2e-3 - METRES)}),
    },
}


def specification(name):
    waves = {"fourier_features": 1, "fourier_from": "data"} if name == "units" else {}
    network = qres.Architecture(width=4, depth=1, **waves)
    time = Time(3) if name == "discrete" else None
    return Specification(qres.Problem(**CASES[name]), network, sampling=SMALL, time=time)


def bits(solution):
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(solution.model)]


def begun(case):
    """What is decided when a run begins, which may be that it cannot."""
    try:
        found = specification(case)
    except qres.InputError as error:
        return str(error)
    model = build_model(found, None)
    sizes = build_objective(found, found.problem, model).sizes
    waves = model.network.embedding.frequencies
    return {k: f.text for k, f in found.problem.transform.items()}, model.scales, model.units, sizes, waves


def another(default):
    """Another value that an argument might have had as its default."""
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return default + 1
    others = {
        "qres": "mlp",
        "tanh": "sin",
        "xavier": "kaiming",
        "lhs": "sobol",
        "ssbroyden": "adam:7",
        1e-13: 1.0,
    }
    return others.get(default, default)


def change_defaults(monkeypatch):
    """Defaults of arguments stand in `__init__`."""
    for cls in (qres.Architecture, qres.Sampling, Specification):
        new = tuple(map(another, cls.__init__.__defaults__ or ()))
        monkeypatch.setattr(cls.__init__, "__defaults__", new)


@pytest.mark.parametrize("case", CASES)
def test_a_resumed_run_keeps_what_was_decided_when_it_began(case, tmp_path, monkeypatch, change_all):
    whole = qres.solve(specification(case), iterations=30, run=tmp_path / "whole", **QUIET)
    qres.solve(specification(case), iterations=20, run=tmp_path / "cut", **QUIET)
    before, written = begun(case), RunFolder.open(tmp_path / "cut").specification()
    change_all()
    assert begun(case) != before, "the changes would be seen"
    change_defaults(monkeypatch)
    read = RunFolder.open(tmp_path / "cut").specification()
    assert read.to_dict() == written.to_dict()
    assert read.problem.ansatz.to_state()[0] == written.problem.ansatz.to_state()[0]
    assert bits(qres.resume(tmp_path / "cut", iterations=30, **QUIET)) == bits(whole)


@pytest.mark.parametrize("case", ["release", "units"])
def test_a_run_that_was_killed_before_its_first_checkpoint_begins_as_it_did(
    case, tmp_path, monkeypatch, change_all
):
    whole = qres.solve(specification(case), iterations=20, run=tmp_path / "run", **QUIET)
    for file in ("checkpoint.safetensors", "solution.qres", "history.jsonl"):
        (tmp_path / "run" / file).unlink()
    change_all()
    change_defaults(monkeypatch)
    assert bits(qres.resume(tmp_path / "run", **QUIET)) == bits(whole)


@pytest.mark.parametrize("file", ["ansatz.safetensors", "start.safetensors"])
def test_damage_to_what_was_decided_is_one_clear_line(file, tmp_path):
    qres.solve(specification("release"), iterations=2, run=tmp_path / "run", progress=False, estimate=False)
    path = tmp_path / "run" / file
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(qres.InputError, match=rf"{file}: the \w+ is damaged"):
        qres.resume(tmp_path / "run", progress=False)
