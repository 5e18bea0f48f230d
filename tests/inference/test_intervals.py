"""Intervals: a coefficient that is zero is not called unidentifiable, and every data set has its own noise."""

import numpy as np

import qres
from qres.inference._intervals import _warnings  # pyright: ignore[reportPrivateUsage]

NETWORK = qres.Architecture("qres", width=6, depth=2)
SAMPLING = qres.Sampling(points=100, condition_points=2, resample_every=50)
TIMES = np.linspace(0, 3, 60)


def measured(noise: float, seed: int) -> qres.Data:
    values = np.exp(-0.7 * TIMES) + noise * np.random.default_rng(seed).standard_normal(TIMES.size)
    return qres.Data({"t": TIMES, "u": values})


def warned(value: float, scale: float, error: float) -> list[str]:
    return _warnings(["c"], [value], [scale], np.array([error]), np.eye(1))


def test_a_coefficient_that_is_zero_is_determined():
    assert warned(1e-4, 1.0, 1e-3) == ["c is zero within its standard error, 0.001"]
    assert "not identifiable" in warned(1e-4, 1.0, 0.5)[0]
    assert "not identifiable" in warned(1e-4, 0.0, 1e-3)[0]  # one that is kept positive cannot be zero
    assert warned(0.5, 1.0, 1e-3) == []


def test_a_fit_with_a_term_that_is_not_there():
    problem = qres.Problem(
        "u_t = -k*u + c*u^2",
        {"t": (0, 3)},
        "u(0) = 1",
        unknowns={"k": 0.5, "c": 0.0},
        data=measured(1e-3, 0),
    )
    found = qres.solve(problem, NETWORK, sampling=SAMPLING, iterations=300, progress=False)
    zero = found.unknowns["c"]
    assert abs(np.asarray(zero.value)) < 4 * np.asarray(zero.stderr) < 0.1


def test_every_data_set_has_its_own_noise():
    problem = qres.Problem(
        "u_t = -k*u",
        {"t": (0, 3)},
        "u(0) = 1",
        unknowns={"k": qres.Positive(0.5)},
        data=[measured(1e-3, 0), measured(3e-2, 1)],
    )
    found = qres.solve(problem, NETWORK, sampling=SAMPLING, iterations=300, progress=False)
    precise, coarse = found.result.noise.values()
    assert precise < 0.5 * coarse  # a fit that weighs both alike is not as good as the precise one
    assert 1.5e-2 < coarse < 6e-2
    assert all(name.startswith("u (data") for name in found.result.noise)
