"""Problems made of pieces: several materials, sources that are switched on, in text and in Python."""

import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres.geometry import Sampling
from qres.jets import CHOICES, FUNCTIONS
from qres.problems import Problem
from qres.runtime.errors import InputError

UNIT = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 0"]
EXACT = "where(x < 0.5, x/4 - x^2/2, (1 - x)^2/2 - (1 - x)/4)"


def test_every_function_of_formulas_is_one_of_the_package():
    assert not [name for name, known in {**FUNCTIONS, **CHOICES}.items() if getattr(qres, name) is not known]


def test_text_and_python_give_the_same():
    text = "where(0.2 < x <= 0.5 and u > 0 or x > 0.9, max(u, x, 0.3), min(u_x, 2))*sign(u_xx) + atan(u)"

    def python(u, x):
        inside = (x > 0.2) & (x <= 0.5) & (u > 0) | (x > 0.9)
        return qres.where(inside, qres.max(u, x, 0.3), np.minimum(u.x, 2)) * np.sign(u.xx) + np.arctan(u)

    truncation = qres.jets.Truncation.closure(("x",), [(2,)])
    x = qres.jets.Jet.coordinate(truncation, "x", np.linspace(0, 1, 41))
    names = {"u": qres.sin(7 * x), "x": x}
    found = [
        Problem(stated, UNIT, fields=["u"]).equations[0].formula(names).value for stated in (text, python)
    ]
    np.testing.assert_array_equal(*found)
    assert len(np.unique(np.sign(found[0]))) > 1


def test_an_exact_solution_with_pieces_is_tried_where_the_pieces_are():
    right = Problem("u_xx = where(x < 0.5, -1, 1)", UNIT, ENDS, exact={"u": EXACT})
    assert not right.warnings
    wrong = Problem("u_xx = where(x < 0.4, -1, 1)", UNIT, ENDS, exact={"u": EXACT})
    assert ["does not satisfy equation" in warning for warning in wrong.warnings] == [True]


def test_conditions_with_pieces_are_built_in():
    box = {"x": (0, 1), "y": (0, 1)}
    faces = [
        "u(x, 0) = min(x, 1 - x)",
        "u(0, y) = 0",
        "u(1, y) = where(y < 0.5, 0, 1)",
        "u(x, 1) = heaviside(x - 0.5)",
    ]
    problem = Problem("u_xx + u_yy = 0", box, faces[:3], hard=True)
    assert not problem.soft_conditions
    assert Problem.from_dict(problem.to_dict()).transform["u"].text == problem.transform["u"].text
    assert Problem("u_xx + u_yy = 0", box, faces, hard=False).conditions[3].text == faces[3]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda u: u.xx - jnp.exp(u), r"jnp.exp does not take fields; use qres.exp or np.exp$"),
        (lambda u, x: u.xx - jnp.where(x < 0.5, u, 1), r"jnp.where does not take fields; use qres.where$"),
        (lambda u: u.xx - jnp.cbrt(u), r"jnp.cbrt does not take fields; use a function of qres: sin, cos"),
        (
            lambda u, x: u.xx - np.where(x < 0.5, 1, 2),
            r"np.where does not take fields; what does is .*qres.where",
        ),
        (lambda u, x: u.xx - (1 if x < 0.5 else 2), r"qres.where\(x < 0.5, a, b\) for if"),
        (lambda u, x: u.xx - qres.where(x, 1, 2), r"must be a comparison, such as x < 0.5, not a field"),
    ],
)
def test_functions_that_fields_cannot_have_say_what_can(function, message):
    with pytest.raises(InputError, match=message) as caught:
        Problem([function], UNIT, ENDS)
    assert len(str(caught.value)) < 300
    with pytest.raises(InputError, match=message):
        Problem("v_x = 1", UNIT, definitions={"w": function}, fields=["u", "v"])


def test_a_source_that_changes_sign_is_solved():
    problem = Problem("u_xx = where(x < 0.5, -1, 1)", UNIT, ENDS, exact={"u": EXACT})
    solution = qres.solve(
        problem,
        qres.Architecture(width=10, depth=2),
        sampling=Sampling(points=400),
        iterations=600,
        progress=False,
    )
    assert solution.errors["u"] < 1e-2
