"""`repr` and `==` of every public object are cheap and never raise."""

import time

import jax
import numpy as np
import optax
import pytest

import qres
from qres.residuals import create_model
from qres.results import Stopped


def problem():
    measured = qres.Data(
        {"x": np.linspace(0, 1, 100_000), "u": np.append(np.full(99_999, np.nan), 1.0)}, {"u": 0.1}
    )
    return qres.Problem(
        "u_x = k*u", {"x": (0, 1)}, ["u(0) = 1"], unknowns={"k": qres.Positive(1.0)}, data=measured
    )


def solution():
    stated = qres.Problem("u_t = u_xx - u^3", {"t": (0, 1), "x": (-1, 1)}, "u(0, x) = cos(pi*x)", periodic=["x"],
                          reference="spectral")  # fmt: skip
    network = qres.Architecture(width=4, depth=1).build(stated, key=jax.random.key(0))
    return qres.Solution(stated, create_model(stated, network), qres.Result(errors={"u": 0.25}))


def networks():
    stated = problem()
    return [
        qres.Architecture(kind, width=4, depth=1).build(stated, key=jax.random.key(0))
        for kind in ("qres", "mlp", "apinn", "isc", "qsc", "qdn")
    ]


MAKE = {
    "Architecture": lambda: qres.Architecture(width=4),
    "Between": lambda: qres.Between(1.0, 0, 2),
    "Condition": lambda: problem().conditions[0],
    "Condition.at": lambda: qres.Condition.at({"x": 0}, lambda u: u),
    "Data": lambda: problem().data[0],
    "Estimate": lambda: qres.Estimate({"u": 0.1}),
    "Free": lambda: qres.Free((1.0, 2.0)),
    "Positive": lambda: qres.Positive((1.0, 2.0)),
    "Problem": problem,
    "Record": lambda: qres.Record(loss=0.5, terms={"equation": 0.5}),
    "Result": lambda: qres.Result(loss=0.5),
    "Sampling": lambda: qres.Sampling(points=10),
    "Solution": solution,
    "Specification": lambda: qres.Specification(problem()),
    "Stop": lambda: qres.Stop.BUDGET,
    "Stopped": lambda: Stopped(qres.Stop.BUDGET, "budget: done"),
    "Time": lambda: qres.Time(4, 0.0, 1.0, 2),
    "Windows": lambda: qres.Windows(3, features=40),
    "UnknownEstimate": lambda: qres.UnknownEstimate([1.0, 2.0]),
    "networks": networks,
    "optimizers": lambda: [
        qres.Adam(5),
        qres.LBFGS(),
        qres.Optax(optax.adam(1e-3)),
        qres.LevenbergMarquardt(),
        qres.SSBroyden(),
        qres.BFGS(),
        qres.SSBFGS(),
    ],
}


@pytest.mark.parametrize("name", MAKE)
def test_repr_and_equality(name):
    one, other = MAKE[name](), MAKE[name]()
    begun = time.process_time()
    text = repr(one)
    assert bool(one == one) and not bool(one == 3)
    assert bool(one == other) in (True, False)
    assert time.process_time() - begun < 1.0
    assert 0 < len(text) < 5000


def test_the_repr_of_a_solution_computes_no_reference(monkeypatch):
    found = solution()
    monkeypatch.setattr(
        "qres.solution._solution.known_solution", lambda *arguments: pytest.fail("it is computed")
    )
    assert repr(found) == "Solution of 'problem' (relative error u: 2.50e-01)"


def test_every_public_class_is_tried():
    classes = {name for name in dir(qres) if isinstance(getattr(qres, name), type)}
    families = {"APINN", "ISC", "MLP", "QDN", "QSC", "QRes"}
    optimizers = {type(each).__name__ for each in MAKE["optimizers"]()}
    assert classes - set(MAKE) - families - optimizers <= {"InputError", "Callback", "RunView"}
