"""MathML for the report: well-formed, and what a mathematician would write."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from qres.formulas import read_formula
from qres.formulas._scope import Scope
from qres.problems import Problem, library, read_toml
from qres.runtime.errors import InputError

SCOPE = Scope(
    ("t", "x"),
    ("u", "psi", "u_1", "sxx", "syy"),
    constants={"nu": 1.0, "lambda_1": 1.0, "k2": 1.0, "Omega": 1.0},
)


def mathml(text, *, equation=False):
    return read_formula(text, SCOPE, "formula", equation=equation).mathml()


def plain(element):
    return re.sub(r"<[^>]*>", "", element).replace("&#x2062;", "").replace("&#x2061;", "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("lambda_1*u*u_x", "λ1uux"),
        ("nu*psi_xx", "νψxx"),
        ("-(t - x)", "−(t−x)"),
        ("t - (x - 1)", "t−(x−1)"),
        ("2*3*u", "2·3u"),
        ("t*(-x)", "t(−x)"),
        ("sxx*syy", "sxx·syy"),
        ("nu*sxx_x*t", "ν·sxxx·t"),
        ("2*sxx*(t - x)", "2sxx·(t−x)"),
        ("(sxx/t)*u", "sxxtu"),
        ("-sxx^2*u", "−sxx2·u"),
        ("sin(pi*x)", "sin(πx)"),
        ("Omega*k2", "Ωk2"),
        ("u_1_x", "u1,x"),
        ("2e-9*t", "2·10−9t"),
        ("max(x, 0)^2", "max2(x,0)"),
        ("t*where(0.2 < x <= 1, 1, nu)", "t({1&#x2002;if&#xa0;0.2&lt;x≤1ν&#x2002;otherwise)"),
        (
            "where(x < 0 or x > 1 and t >= 2, 1, 0)",
            "{1&#x2002;if&#xa0;x&lt;0&#xa0;or&#xa0;(x&gt;1&#xa0;and&#xa0;t≥2)0&#x2002;otherwise",
        ),
    ],
)
def test_what_is_shown(text, shown):
    assert plain(mathml(text)) == shown


def test_structure():
    assert "<mfrac><mi>t</mi><mi>x</mi></mfrac>" in mathml("t/x")
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in mathml("x^2")
    assert "<msub><mi>u</mi><mrow><mi>x</mi><mi>x</mi></mrow></msub>" in mathml("u_xx")
    assert "<msqrt><mi>x</mi></msqrt>" in mathml("sqrt(x)")
    assert "<mo>=</mo>" in mathml("u_t = u_xx", equation=True)


atoms = st.sampled_from(["t", "x", "u", "u_xx", "psi_t", "nu", "2", "1e-7", "pi"])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/^"), inner).map(lambda p: f"({p[0]}){p[1]}({p[2]})"),
        st.tuples(inner, inner, inner).map(
            lambda p: f"where({p[0]} < {p[1]} or 0 >= {p[2]}, min({p[0]}, {p[2]}), {p[1]})"
        ),
        st.tuples(st.sampled_from(["sin", "sqrt", "abs", "exp", "-"]), inner).map(
            lambda p: f"{p[0]}({p[1]})"
        ),
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=100)
@given(expressions)
def test_every_formula_is_well_formed(text):
    try:
        shown = mathml(f"u + {text}")
    except InputError:  # a constant part that is not finite
        reject()
    ElementTree.fromstring(shown)


def test_every_problem_is_well_formed():
    def residual(u, x):
        return u.x - x

    files = [library.path(name) for name in library.names()]
    problems = [Problem.from_dict(read_toml(file)["problem"], file.parent) for file in files]
    problems.append(
        Problem([residual], {"x": (-0.5, 1e-6)}, "u(0) = 1", unknowns={"mu": 1.0}, definitions={"v": "2*u"})
    )
    for problem in problems:
        root = ElementTree.fromstring(problem.mathml())
        assert len(root.findall(".//mtr")) >= 2
    examples = Path(__file__).parents[2] / "examples"
    for path in examples.glob("*.toml"):
        stated = {**read_toml(path)["problem"], "hard": False, "exact": {}}  # quicker, and the same page
        ElementTree.fromstring(Problem.from_dict(stated, path.parent).mathml())
