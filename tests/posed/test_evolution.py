"""Which equations are of the form u_t = N[u], and what is left of a problem in one step."""

import jax
import numpy as np
import pytest

from qres.posed import time_factors
from qres.problems import Problem, one_step
from qres.runtime.errors import InputError

DOMAIN = {"t": [0, 1], "x": [-1, 1]}


def problem(equations, **more):
    return Problem(equations, DOMAIN, **more)


@pytest.mark.parametrize(
    ("equations", "factors"),
    [
        ("u_t + u*u_x = 0.01*u_xx", [[1]]),
        ("sin(t)*x*u_xx - 3*u_t = exp(u)", [[-3]]),
        (["v_t - u_xx = u*v", "u_t + v_xx = 0"], [[0, 1], [1, 0]]),
        (["u_t + 2*v_t = u_xx", "u_t - v_t = v_xx"], [[1, 2], [1, -1]]),
        (lambda u: u.t + u * u.x - u.xxx, [[1]]),
        ("2*u_t = where(x < 0.5, 1, 2)*u_xx + max(u, 0)", [[2]]),
        ("0*u_tt + u_t + 0*u*u_t = u_xx", [[1]]),
    ],
)
def test_the_factors_of_the_time_derivatives(equations, factors):
    found = time_factors(problem(equations, fields=["u", "v"] if np.shape(factors) == (2, 2) else ["u"]))
    assert np.allclose(found, factors, atol=1e-12)


def test_in_single_precision():
    with jax.enable_x64(False):
        assert np.allclose(time_factors(problem("u_t + u*u_x + 0.0025*u_xxx = 0")), [[1]], atol=1e-5)
        with pytest.raises(InputError, match="do not give the time derivative of every field"):
            time_factors(problem(["u_t = v_x", "u_x + v_x = 0"]))
        with pytest.raises(InputError, match="not times a constant"):
            time_factors(problem("u*u_t = u_xx"))


def test_a_definition_may_stand_in_between():
    assert np.allclose(time_factors(problem("w_t = u_xx", definitions={"w": "2*u + x"})), [[2]])


@pytest.mark.parametrize(
    ("equations", "more", "message"),
    [
        ("u_tt = u_xx", {}, "a time derivative is not first, or not times a constant"),
        ("u*u_t = u_xx", {}, "not times a constant"),
        ("where(x < 0.999, 1, 2)*u_t = u_xx", {}, "not times a constant"),
        ("u_t = where(u_t > 0, 1, 2)*u_xx", {}, "not times a constant"),
        ("(1 + 50*exp(-((u - 300)/2)^2))*u_t = u_xx", {}, "not times a constant"),
        (lambda u, k: k[0] * u.t - k[1] * u.xx, {"unknowns": {"k": [1.0, 2.0]}}, "not times a constant"),
        ("a*u_t = u_xx", {"unknowns": {"a": 1.0}}, "not times a constant"),
        ("u_t + u_xt = u_xx", {}, "not times a constant"),
        (["u_t = v_x", "u_x + v_x = 0"], {}, "do not give the time derivative of every field"),
        ("u_t = v_x", {"fields": ["u", "v"]}, r"there are 1 equation\(s\) for 2 field\(s\)"),
    ],
)
def test_other_equations_are_refused(equations, more, message):
    with pytest.raises(InputError, match=message):
        time_factors(problem(equations, **more))


def test_space_is_needed():
    with pytest.raises(InputError, match="with coordinates t and space, not t"):
        time_factors(Problem("u_t = -u", {"t": [0, 1]}))


def test_one_step_keeps_the_conditions_of_space():
    conditions = ["u(0, x) = -sin(pi*x)", "u(t, -1) = 0", "u(t, 1) = 0"]
    whole = Problem("u_t + u*u_x = 0.1*u_xx", DOMAIN, conditions, hard=True, exact={})
    step = one_step(whole, 0.25, 0.5)
    assert step.bounds["t"] == (0.25, 0.5)
    assert [condition.text for condition in step.conditions] == conditions[1:]
    assert step.transform["u"].text == "(x + 1)*(1 - x)*u"
    assert one_step(Problem("u_t = u_xx", DOMAIN, conditions[:1], hard=True), 0, 1).transform == {}


def test_one_step_keeps_what_holds_on_the_whole_boundary():
    whole = problem("u_t = u_xx", conditions=["u(0, x) = sin(pi*x)", "u = 0 on boundary"])
    assert [c.fixed for c in one_step(whole, 0.0, 0.5).conditions] == [{"x": -1.0}, {"x": 1.0}]
