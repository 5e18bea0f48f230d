"""Kinks of periodic initial data, carried on by waves where the equations have waves, and only there."""

from typing import cast

import jax
import numpy as np
import pytest

import qres
from qres import reference
from qres.ansatz.kinks import _waves
from qres.ansatz.kinks._plane_waves import PlaneWaves
from qres.ansatz.kinks._scattering import ScatteredWaves
from qres.ansatz.kinks._waves import Waves
from qres.jets import Jet, Truncation
from qres.problems import Problem
from qres.runs import read_specification

FREE = ["u_t + 0.5*v_xx = 0", "v_t - 0.5*u_xx = 0"]
DOMAIN = {"t": [0.5, 2.0], "x": [-1, 2]}
KINKED = ["u(0.5, x) = (x - 0.5)^2", "v(0.5, x) = 0.1*(x - 0.5)^2"]
JUMPING = ["u(0.5, x) = x^2", "v(0.5, x) = 0.1*x^2"]


def free(equations=FREE, conditions=KINKED, domain=DOMAIN, **more) -> Problem:
    return Problem(equations, domain, conditions, **{"periodic": ["x"], "hard": True, **more})


def waves_of(problem: Problem) -> list[Waves]:
    functions = [background.function for background in problem.backgrounds]
    assert all(isinstance(function, Waves) for function in functions)
    return cast("list[Waves]", functions)


def plane(waves: Waves) -> PlaneWaves:
    """Those that feel the mean."""
    (found,) = (part for part in waves.parts if isinstance(part, PlaneWaves))
    return found


def scattered(waves: Waves) -> list[ScatteredWaves]:
    return [part for part in waves.parts if isinstance(part, ScatteredWaves)]


def in_potential() -> Problem:
    """Linear, with a potential: what scatters does not change with time, and no branch becomes another."""
    potential = "(5 + 3*cos(2*pi*x/3) + sin(4*pi*x/3))"
    equations = [f"u_t + 0.5*v_xx + {potential}*v = 0", f"v_t - 0.5*u_xx - {potential}*u = 0"]
    return free(equations)


def fields(problem, t, x, indices=((0, 0),), raw=0.0):
    """All fields with a network that gives one number, as jets."""
    truncation = Truncation.closure(problem.coordinates, indices)
    at = {"t": t, "x": x}
    coordinates = {n: Jet.coordinate(truncation, n, at[n]) for n in problem.coordinates}
    outputs = {name: Jet.constant(truncation, np.full_like(t, raw)) for name in problem.fields}
    return problem.ansatz(outputs, coordinates, problem.constants, problem.definitions)


def test_the_derivatives_of_waves_are_those_of_their_sum():
    waves, _ = waves_of(free())
    wave, at = plane(waves), np.array([0.9, -0.3])
    assert waves.parts == (wave,)  # nothing scatters them

    def value(z):
        terms = wave.amplitudes * jax.numpy.exp((z - np.array(wave.origin)) @ wave.exponents)
        return jax.numpy.sum(terms).real

    indices = [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1)]
    found = wave.table(indices, at[:1], at[1:])[:, 0]
    slopes, bends = jax.grad(value)(at), jax.hessian(value)(at)
    expected = [value(at), slopes[0], slopes[1], bends[1, 1] / 2, bends[0, 1]]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert np.isclose(waves(at[0], at[1]), expected[0])


def test_the_derivatives_of_scattered_waves_are_those_of_their_sum():
    (wave,) = scattered(waves_of(in_potential())[0])
    at = np.array([0.9, -0.3])

    def value(z):
        t, x = z - np.array(wave.origin)
        moving = wave.shares @ jax.numpy.exp(wave.rates * t)
        return (wave.factor * jax.numpy.sum(jax.numpy.exp(1j * wave.across * x) * moving)).real

    indices = [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1)]
    found = wave.table(indices, at[:1], at[1:])[:, 0]
    slopes, bends = jax.grad(value)(at), jax.hessian(value)(at)
    expected = [value(at), slopes[0], slopes[1], bends[1, 1] / 2, bends[0, 1]]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert wave.table(indices, np.ones((2, 3)), np.ones((2, 3))).shape == (5, 2, 3)


def test_waves_of_a_linear_equation_satisfy_it():
    problem = free()
    random = np.random.default_rng(0)
    t, x = random.uniform(0.5, 2, 50), random.uniform(-1, 2, 50)
    truncation = Truncation.closure(("t", "x"), [(1, 0), (0, 2)])
    coordinates = [Jet.coordinate(truncation, "t", t), Jet.coordinate(truncation, "x", x)]
    u, v = (background.function(*coordinates) for background in problem.backgrounds)
    size = np.abs(u.t.value).max()
    for equation in problem.equations:
        assert np.abs(equation.formula({"u": u, "v": v}).value).max() < 1e-8 * size
    assert not problem.soft_conditions


def test_scattered_waves_are_those_of_the_equation(monkeypatch):
    """In a potential, against the exponential of a matrix between many more waves."""
    numbers, grid = np.arange(-300, 301), np.arange(2000) / 2000
    potential = np.fft.fft(
        5 + 3 * np.cos(2 * np.pi * (3 * grid - 1) / 3) + np.sin(4 * np.pi * (3 * grid - 1) / 3)
    )
    between = potential[(numbers[:, None] - numbers) % 2000] / 2000
    energies, states = np.linalg.eigh(np.diag((2 * np.pi * numbers / 3) ** 2 / 2) - between)
    jump = 2 * -1.5 * (1 + 0.1j)  # of u + iv, whose slope is 2 (x - 0.5) and a tenth of that
    inside = (numbers != 0) & (np.abs(numbers) <= 256)
    first = np.where(inside, -jump * 3 / (4 * np.pi**2) / np.where(numbers == 0, 1, numbers) ** 2, 0) * 2
    last = states @ (np.exp(-1.5j * energies) * (states.conj().T @ first))
    x = np.linspace(-1, 2, 301)
    exact = np.exp(2j * np.pi * np.outer((x + 1) / 3, numbers)) @ last

    def wrong() -> float:
        u, v = (waves(np.full_like(x, 2.0), x) for waves in waves_of(in_potential()))
        return float(np.linalg.norm(u + 1j * v - exact) / np.linalg.norm(exact))

    here = wrong()
    monkeypatch.setattr(_waves, "scattered", lambda kink, most: ([(), ()], 0))
    mean = wrong()
    assert mean > 0.01
    assert here < 1e-3 * mean


def test_the_data_are_taken_and_only_the_shortest_waves_are_missing():
    problem = free()
    x = np.linspace(-1, 2, 2001)
    found = fields(problem, np.full_like(x, 0.5), x, raw=7.0)
    for name, factor in (("u", 1.0), ("v", 0.1)):
        wrong = found[name].value - factor * (x - 0.5) ** 2
        assert np.sqrt(np.mean(wrong**2)) < 2e-4
        assert np.abs(wrong).max() < 1e-2  # at the kink itself
    ends = fields(problem, np.array([0.5, 0.5]), np.array([-1.0, 2.0]), [(0, 1)])
    waves = problem.backgrounds[0].function(*_jets(np.array([0.5, 0.5]), np.array([-1.0, 2.0])))
    slopes = (ends["u"] - waves).coefficient((0, 1))
    assert slopes[0] == pytest.approx(slopes[1], abs=1e-9)


def _jets(t, x):
    truncation = Truncation.closure(("t", "x"), [(0, 1)])
    return Jet.coordinate(truncation, "t", t), Jet.coordinate(truncation, "x", x)


def test_the_order_of_the_coordinates_does_not_matter():
    first = free(conditions=["u(0.5, x) = (x - 0.5)^2", "v(0.5, x) = 0"])
    turned = {"x": DOMAIN["x"], "t": DOMAIN["t"]}
    second = free(conditions=["u(x, 0.5) = (x - 0.5)^2", "v(x, 0.5) = 0"], domain=turned)
    t, x = np.array([0.7, 1.9]), np.array([-0.4, 1.3])
    for name in "uv":
        one, other = (fields(problem, t, x, raw=0.3)[name].value for problem in (first, second))
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_short_waves_feel_the_mean_of_what_they_pass():
    """On Schrödinger's equation their frequency is `k²/2 - 2 mean |h|²`."""
    problem = read_specification("schrodinger").problem
    waves, _ = waves_of(problem)
    rate, length = np.abs(np.imag(plane(waves).exponents))
    mean = 8 * np.tanh(5) / 10
    np.testing.assert_allclose(length[-4:] ** 2 / 2 - rate[-4:], 2 * mean, rtol=1e-3)


MOVING = [KINKED[0], "v(0.5, x) = (x - 0.5)^2*sin(2*pi*x/3)"]
NONLINEAR = ["u_t + 0.5*v_xx + (u^2 + v^2)*v = 0", "v_t - 0.5*u_xx - (u^2 + v^2)*u = 0"]
GROWING = ["u_t + 0.5*v_xx - 3*cos(2*pi*x/3)*u = 0", "v_t - 0.5*u_xx - 3*cos(2*pi*x/3)*v = 0"]
PASSING = ["u_t + 0.5*v_xx + cos(2*pi*(x - t)/3)*v = 0", "v_t - 0.5*u_xx - cos(2*pi*(x - t)/3)*u = 0"]
ALIKE = ["u_t + 0.1*u_xxx + cos(2*pi*x/3)*u = 0", "v_t + 0.1*v_xxx = 0"]


@pytest.mark.parametrize(
    ("equations", "conditions"),
    [(FREE, KINKED), (NONLINEAR, MOVING), (PASSING, KINKED), (GROWING, KINKED), (ALIKE, KINKED)],
)
def test_waves_that_nothing_scatters_for_good_feel_the_mean(equations, conditions):
    assert not any(scattered(waves) for waves in waves_of(free(equations, conditions)))
    assert all(scattered(waves) for waves in waves_of(free(NONLINEAR)))  # whose size is at rest


def test_units_do_not_matter():
    """Schrödinger's equation in kilometres, minutes and millions, one equation a billion times the other."""
    X, T, U = 1e3, 60.0, 1e6
    problem = Problem(
        [
            f"u_t/{U / T} + 0.5*v_xx/{U / X**2} + (u^2 + v^2)*v/{U**3} = 0",
            f"1e9*(v_t/{U / T} - 0.5*u_xx/{U / X**2} - (u^2 + v^2)*u/{U**3}) = 0",
        ],
        {"t": [0, T * np.pi / 2], "x": [-5 * X, 5 * X]},
        [f"u(0, x) = 2*{U}*sech(x/{X})", "v(0, x) = 0"], periodic=["x"], hard=True,
    )  # fmt: skip
    plain = read_specification("schrodinger").problem
    t, x = np.array([0.0, 0.3, 1.5]), np.array([-5.0, 2.0, 4.9])
    for here, there in zip(waves_of(problem), waves_of(plain), strict=True):
        np.testing.assert_allclose(here(T * t, X * x) / U, there(t, x), atol=1e-7)


def test_what_is_left_of_the_true_solution_is_smooth():
    problem = read_specification("schrodinger").problem
    truth = reference.solve("schrodinger")
    t, x = np.meshgrid(truth["t"].values, truth["x"].values, indexing="ij")
    u, v = (background.function(t, x) for background in problem.backgrounds)
    h = truth["u"].values + 1j * truth["v"].values
    modes = np.abs(np.fft.fftfreq(256, 1 / 256))
    late = t[:, 0] > 1.4  # at π/2 the wave is as smooth as it was at first, but for the kink
    short = (modes > 16) & (modes < 60)
    tail, less = (np.abs(np.fft.fft(f[late], axis=1)[:, short]).mean() for f in (h, h - u - 1j * v))
    assert less < 0.1 * tail


@pytest.mark.parametrize(
    ("equations", "conditions", "more"),
    [
        (["u_t = 0.1*u_xx + 0.1*v_xx", "v_t = 0.1*v_xx - 0.1*u_xx"], KINKED, {}),  # waves, but damped
        (FREE, ["u(0.5, x) = sin(2*pi*x/3)", "v(0.5, x) = 0"], {}),  # no kink
        (FREE, JUMPING, {}),  # the values themselves jump
        (["u_tt = u_xx", "v_tt = v_xx"], KINKED, {}),  # not of first order in t
        (FREE, KINKED, {"periodic": []}),
        (["u_t + c*v_xx = 0", "v_t - c*u_xx = 0"], KINKED, {"unknowns": {"c": 1.0}}),
        (["u_t + v_xx/x = 0", "v_t - u_xx/x = 0"], KINKED, {}),  # not the same everywhere
    ],
)
def test_all_else_is_as_it_was(equations, conditions, more):
    problem = free(equations, conditions, **more)
    assert not problem.backgrounds
    assert "waves" not in problem.transform["u"].text


def test_a_single_field_with_third_derivatives():
    problem = Problem(
        "u_t + u*u_x + 0.01*u_xxx = 0",
        {"t": [0, 1], "x": [-1, 1]},
        "u(0, x) = 1 + x^2",
        periodic=["x"],
        hard=True,
    )
    (waves,) = waves_of(problem)
    rate, length = np.imag(plane(waves).exponents)
    assert not scattered(waves)  # what they pass moves along
    expected = 0.01 * length**3 - length * (1 + 1 / 3)
    np.testing.assert_allclose(rate, expected, rtol=1e-3, atol=1e-2)


def test_it_can_be_saved_shown_and_read_again(tmp_path):
    problem = free()
    again = Problem.from_dict(problem.to_dict())
    assert again.transform["u"].text == problem.transform["u"].text
    assert problem.transform["u"].text.startswith("waves_u(t, x) + ")
    assert "<mi>waves</mi>" in problem.transform["u"].mathml()
    solution = qres.solve(problem, iterations=3, progress=False)
    solution.save(tmp_path / "a.qres")
    t, x = np.array([0.7, 1.2]), np.array([0.1, -0.5])
    loaded = qres.load(tmp_path / "a.qres")
    np.testing.assert_array_equal(loaded(t=t, x=x)["u"], solution(t=t, x=x)["u"])
