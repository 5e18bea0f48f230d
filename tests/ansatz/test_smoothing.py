"""Kinks of periodic initial data that diffusion smooths: carried on exactly where the equation is linear."""

import numpy as np
import pytest

from qres import reference
from qres.ansatz.kinks._smoothing import Smoothing
from qres.jets import Jet, Truncation
from qres.problems import Problem
from qres.runs import read_specification

DOMAIN = {"t": [0.5, 2.0], "x": [-1, 2]}
HEAT = "u_t = 0.01*u_xx - 3*u"


def heat(equation=HEAT, **more) -> Problem:
    return Problem(equation, DOMAIN, "u(0.5, x) = (x - 0.5)^2", **{"periodic": ["x"], "hard": True, **more})


def smoothing_of(problem) -> Smoothing:
    (background,) = problem.backgrounds
    assert isinstance(background.function, Smoothing)
    return background.function


def jets(function, t, x):
    truncation = Truncation.closure(("t", "x"), [(1, 0), (0, 2)])
    return function(Jet.coordinate(truncation, "t", t), Jet.coordinate(truncation, "x", x))


def test_a_smoothed_kink_satisfies_the_linear_equation_but_for_a_constant():
    """The parabola that stands for the kink has a second derivative, `-J/P`, which the network makes up for."""
    found = smoothing_of(heat())
    assert (found.jump, found.diffusivity, found.rate) == pytest.approx((-6.0, 0.01, -3.0))
    t, x = np.meshgrid(np.linspace(0.51, 2, 7), np.linspace(-1, 2, 41))
    u = jets(found, t, x)
    left = u.t - 0.01 * u.xx + 3 * u
    np.testing.assert_allclose(left.value, -0.01 * 6 / 3 * np.exp(-3 * (t - 0.5)), rtol=1e-6)


def test_the_data_are_met_and_nothing_is_kinked_later():
    problem = heat()
    assert not problem.soft_conditions
    x = np.linspace(-1, 2, 101)
    truncation = Truncation.closure(("t", "x"), [(0, 1)])

    def field(t, x):
        coordinates = {"t": Jet.coordinate(truncation, "t", t), "x": Jet.coordinate(truncation, "x", x)}
        outputs = {"u": Jet.constant(truncation, np.full_like(t, 7.0))}
        return problem.ansatz(outputs, coordinates, problem.constants, {})["u"]

    np.testing.assert_allclose(field(np.full_like(x, 0.5), x).value, (x - 0.5) ** 2, atol=1e-12)
    ends = field(np.full(2, 0.51), np.array([-1.0, 2.0]))
    assert float(ends.value[0]) == pytest.approx(float(ends.value[1]), abs=1e-12)
    slopes = ends.coefficient((0, 1))
    assert float(slopes[0]) == pytest.approx(float(slopes[1]), abs=1e-9)


def test_it_is_what_a_sum_of_damped_waves_is():
    found = smoothing_of(heat("u_t = 0.01*u_xx"))
    t, x = np.meshgrid(np.linspace(0.55, 2, 5), np.linspace(-1, 2, 31))
    k = 2 * np.pi * np.arange(1, 400) / 3
    waves = np.cos((x[..., None] + 1) * k) * np.exp(-0.01 * k**2 * (t[..., None] - 0.5)) / k**2
    expected = 6 * 2 / 3 * np.sum(waves, axis=-1)  # -J P/(2π²) cos(2πmξ)/m²
    expected -= 0.01 * 6 / 3 * (t - 0.5)
    np.testing.assert_allclose(found(t, x), expected, atol=1e-10)


def test_of_allen_cahns_solution_what_is_left_is_smooth():
    """At the kink u = -1, and what is small decays there as `exp(-10t)`."""
    problem = read_specification("allen-cahn").problem
    found = smoothing_of(problem)
    assert (found.jump, found.diffusivity, found.rate) == pytest.approx((4.0, 1e-4, -10.0), rel=1e-6)
    truth = reference.solve("allen-cahn")
    t, x = np.meshgrid(truth["t"].values, truth["x"].values, indexing="ij")
    early, modes = t[:, 0] < 0.1, np.abs(np.fft.fftfreq(x.shape[1], 1 / x.shape[1]))
    short = (modes > 16) & (modes < 60)
    u, w = truth["u"].values, found(t, x)
    tail, less = (np.abs(np.fft.fft(f[early], axis=1)[:, short]).mean() for f in (u, u - w))
    assert less < 0.01 * tail


@pytest.mark.parametrize(
    "equation",
    [
        "u_t = -0.01*u_xx",  # it grows
        "u_t + u_x = 0.01*u_xx",  # it moves on
        "u_t = 10*u_xx",  # it is gone at once
        "u_t = (1 + x^2)*0.01*u_xx",  # not the same everywhere
        "u_t = -0.01*u_xxxx",  # another law
        "u_t = 0.01*u_xx + 5*u",  # it grows too much
    ],
)
def test_all_else_is_as_it_was(equation):
    problem = heat(equation)
    assert not problem.backgrounds
    assert "smoothing" not in problem.transform["u"].text


def test_it_is_written_and_read_again():
    problem = heat()
    assert problem.transform["u"].text.startswith("smoothing_u(t, x) + ")
    again = Problem.from_dict(problem.to_dict())
    assert smoothing_of(again) == smoothing_of(problem)
