"""Whether a problem is linear is read off its formulas."""

import pytest

import qres
from qres.least_squares import is_affine
from qres.posed.evaluator import Residuals

BOX = {"t": [0, 1], "x": [0, 1]}
START = ["u(0, x) = sin(pi*x)"]


def affine(equation, conditions=START, **options):
    problem = qres.Problem(equation, BOX, conditions, **options)
    return is_affine(problem, Residuals.of(problem, conditions=problem.soft_conditions))


@pytest.mark.parametrize(
    "equation",
    [
        "u_t = u_xx",
        "u_t + sin(x)*u_x = exp(-t)*u + cos(x)",
        "u_t = where(x < 0.5, 1, 2)*u_xx",
        "u_t = diff(x^2*u_x, x)",
        "(u_t - u_xx)/(1 + x^2) = 0",
        "2*u_t = u_xx*sqrt(4)",
    ],
)
def test_equations_that_are_linear(equation):
    assert affine(equation)


@pytest.mark.parametrize(
    "equation",
    [
        "u_t + u*u_x = u_xx",
        "u_t = u_xx + 1e-9*u^2",
        "u_t = u_xx + 50*exp(-((u - 300)/2)^2)",
        "u_t = abs(u_x)",
        "u_t = u_xx/(1 + u)",
        "u_t = where(u < 0.5, u, 2*u)",
        "u_t = max(u, 0)",
    ],
)
def test_equations_that_are_not(equation):
    assert not affine(equation)


def test_conditions_and_the_ansatz_count_too():
    assert affine("u_t = u_xx", [*START, "u(t, 0) = u(t, 1)", "u_x(t, 1) + 2*u(t, 1) = 0"])
    assert not affine("u_t = u_xx", [*START, "u_x(t, 1) = u(t, 1)^4"])
    assert affine("u_t = u_xx", [*START, "u(t, 0) = 0", "u(t, 1) = t"], hard=True)
    assert not affine("u_t = u_xx", transform={"u": "exp(u)"})


def test_an_unknown_is_linear_in_a_source_and_not_beside_a_field():
    assert affine("u_t = u_xx + q*sin(x)", unknowns={"q": 1.0})
    assert not affine("u_t = a*u_xx", unknowns={"a": 1.0})
