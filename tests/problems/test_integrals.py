"""Integrals in equations, conditions and definitions: read, evaluated at quadrature nodes, solved and refused."""

import re
from typing import Any

import numpy as np
import pytest

import qres
from qres.jets import sin
from qres.posed.evaluator import Residuals

LINE = {"x": (0, 2)}
STRIP = {"t": (0, 1), "x": (-1, 2)}


def waves(coordinates):
    """u = sin(t + 2 x), or sin(2 x) where there is no time."""
    phase = 2 * coordinates["x"] + coordinates.get("t", 0.0)
    return {"u": sin(phase)}


def value_of(text, domain, points, **others):
    """What a formula with integrals is for the waves, at points."""
    problem = qres.Problem(f"u = {text}", domain, fields=["u"], **others)
    residuals = Residuals.of(problem)
    points = np.asarray(points, dtype=float).reshape(len(domain), -1)
    found = residuals.at(waves, [points], problem.start)
    return np.sin(2 * points[-1] + (points[0] if len(domain) > 1 else 0.0)) - found["equation"][0]


X = np.linspace(0, 2, 7)
T, Y = np.linspace(0, 1, 5), np.linspace(-1, 2, 5)
CASES = {
    "integral(u, x)": lambda t, x: (np.cos(t - 2) - np.cos(t + 4)) / 2,
    "integral(u^2, x, 0, 0.5)": lambda t, x: 0.25 - (np.sin(2 * t + 2) - np.sin(2 * t)) / 8,
    "mean(u_x, x)": lambda t, x: (np.sin(t + 4) - np.sin(t - 2)) / 3,
    "integral(u(t, s)*x, s, -1, x)": lambda t, x: x * (np.cos(t - 2) - np.cos(t + 2 * x)) / 2,
    "integral(u(r, x), r, 0, t)": lambda t, x: np.cos(2 * x) - np.cos(t + 2 * x),
    "integral((u(t, s) - u)*s, s, 0, 1)": lambda t, x: (
        (np.sin(t + 2) - np.sin(t)) / 4 - np.cos(t + 2) / 2 - np.sin(t + 2 * x) / 2
    ),
    "integral(u(0, x), x)": lambda t, x: (np.cos(2) - np.cos(4)) / 2 + 0 * t,
    "integral(integral(u(t, s)*(s + x), s, 0, 1), x, 0, 2)": lambda t, x: (
        2 * ((np.sin(t + 2) - np.sin(t)) / 4 - np.cos(t + 2) / 2) + (np.cos(t) - np.cos(t + 2))
    ),
    "integral(u, tx)": lambda t, x: np.sin(1 - 2) - np.sin(1 + 4) - np.sin(-2) + np.sin(4) + 0 * t,
}


@pytest.mark.parametrize("text", CASES)
def test_the_value_of_an_integral(text):
    expected = CASES[text](T, Y)
    if text == "integral(u, tx)":
        expected = expected / 2
    assert np.allclose(value_of(text, STRIP, [T, Y]), expected, rtol=0, atol=1e-9)


def test_integrals_through_definitions_and_constants():
    found = value_of(
        "m + c*n", LINE, X, definitions={"m": "mean(w, x)", "w": "u^2", "n": "integral(w*m, x)"},
        constants={"c": 2},
    )  # fmt: skip
    m = 0.5 - np.sin(8) / 16
    assert np.allclose(found, m + 2 * 2 * m * m, atol=1e-9)


def test_text_and_mathematics_read_back():
    text = "u_t = integral(exp(-(x - s)^2)*u(t, s), s) - mean(u, x, 0, 1)"
    problem = qres.Problem(text, STRIP)
    assert problem.fields == ("u",)
    assert "∫" in problem.mathml() and "⟨" in problem.mathml()
    again = qres.Problem.from_dict(problem.to_dict())
    assert again.equations[0].formula == problem.equations[0].formula


def test_python_functions():
    def equation(u, x):
        return u - qres.integral(lambda s: (x - s) * u(s), "x", 0, x) - qres.mean(u * u.x, "x")

    problem = qres.Problem(equation, LINE, fields=["u"])
    assert problem.is_text
    assert "integral((x - s)*u(s), s, 0, x)" in problem.equations[0].text
    with pytest.raises(qres.InputError, match="of a solution, take"):
        qres.integral(2.0, "x")


def test_conditions_on_integrals_hold_where_they_depend_on_coordinates():
    problem = qres.Problem(
        "u_t = u_xx", STRIP, ["integral(u, x) = 1", "integral(u(0, x)^2, x) = 1", "u(t, -1) = mean(u, x)"]
    )
    assert [one.free for one in problem.conditions] == [("t",), (), ("t",)]
    assert [one.kind for one in problem.conditions] == ["integral", "integral", "boundary"]


def test_complex_integrals():
    problem = qres.Problem(
        "i*h_t + h_xx = 0", STRIP, ["integral(abs(h)^2, x) = 1", "integral(h, x) = i"], complex=["h"]
    )
    texts = [one.text for one in problem.conditions]
    assert texts[1:] == ["integral(h_re, x) = 0", "integral(h_im, x) = 1"]


WRONG = {
    "u_t = integral(u)": "takes an expression, what it is over",
    "u_t = integral(u, q*x)": "takes an expression, what it is over",
    "u_t = integral(u, xx)": "each coordinate stands there once",
    "u_t = integral(exp(-s), s)": "'s' is an argument of no field; say its bounds",
    "u_t = integral(u(s), x)": "u takes 2 argument(s)",
    "u_t = integral(u, pi)": "neither a coordinate",
    "u_t = integral(u, x, u, 1)": "unknown name 'u'",
    "u_t = integral(u, tx, 0, 1)": "bounds are for one coordinate",
    "u_t = diff(integral(u, x), t)": "take the derivative of what is integrated",
}


@pytest.mark.parametrize("text", WRONG)
def test_mistakes_are_said_in_one_line(text):
    with pytest.raises(qres.InputError, match=re.escape(WRONG[text])) as caught:
        qres.Problem(text, STRIP)
    assert "\n" not in str(caught.value)


def test_where_integrals_cannot_stand():
    heat: dict[str, Any] = {"equations": "u_t = u_xx", "domain": STRIP}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"conditions": "integral(u, x) = 1", "inside": "x < 0.5"}, "over a whole box"),
        ({"exact": {"u": "integral(x, x)"}}, "cannot stand there"),
        ({"equations": "u_t = m_t", "definitions": {"m": "integral(u, x)"}}, "a derivative of an integral"),
    ]
    for more, said in wrong:
        with pytest.raises(qres.InputError, match=said):
            qres.Problem(**(heat | more))
    with pytest.raises(qres.InputError, match="in discrete time"):
        qres.solve(
            qres.Problem("u_t = u_xx - mean(u, x)", STRIP, ["u(0, x) = 1"]), time=qres.Time(4), iterations=1
        )


def test_a_solved_integral_equation_and_its_file(tmp_path):
    problem = qres.Problem(
        "u = 2*x/3 + integral(x*s*u(s), s)", {"x": (0, 1)}, exact={"u": "x"}, fields=["u"],
        definitions={"total": "integral(u, x)"},
    )  # fmt: skip
    assert not problem.warnings
    solution = qres.solve(
        problem, network=qres.Architecture(width=5, depth=1), iterations=100,
        sampling=qres.Sampling(points=50),
    )  # fmt: skip
    assert solution.errors["u"] < 1e-4
    assert solution("total", x=0.3) == pytest.approx(0.5, abs=1e-4)
    assert solution("integral(u^2, x)", x=0.0) == pytest.approx(1 / 3, abs=1e-4)
    again = qres.load(solution.save(tmp_path / "s.qres"))
    assert again("total", x=0.3) == solution("total", x=0.3)
    assert "an integral" in solution.estimate().verdict
