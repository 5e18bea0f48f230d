"""Run folders of what is Python: traced functions, functions without an expression, networks of the user's own."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres.runtime.errors import InputError

BOX = {"t": (0, 1), "x": (0, 1)}
CONDITIONS = ["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u(t, 1) = 0"]
FEW = qres.Sampling(points=60, condition_points=20, resample_every=7)
QUICK: dict[str, Any] = {"estimate": False, "progress": False}
AT = {"t": np.linspace(0, 1, 7), "x": 0.3}


class Own(eqx.Module):
    inner: eqx.nn.MLP

    def __init__(self, seed):
        self.inner = eqx.nn.MLP(2, 1, 6, 1, activation=jnp.tanh, key=jax.random.key(seed))

    def __call__(self, points):
        return jax.vmap(self.inner, in_axes=1, out_axes=1)(points)


def traced(rate=0.1):
    return qres.Problem(
        lambda u: u.t - rate * u.xx,
        BOX,
        [qres.Condition.at({"t": 0}, lambda u, x: u - np.sin(np.pi * x)), *CONDITIONS[1:]],
        hard=True,
    )


def opaque(rate=0.1):
    def diffusion(u, x):
        return u.t - rate * qres.where(~(x < 0.5), u.xx, 2 * u.xx)

    return qres.Problem(diffusion, BOX, CONDITIONS)


def test_a_problem_of_functions_is_as_good_as_one_of_text(tmp_path):
    problem = traced()
    assert problem.is_text
    assert problem.hard
    assert not problem.soft_conditions
    assert "<mn>0.1</mn>" in problem.mathml()
    small = qres.Architecture(width=4, depth=1)
    text = qres.Problem("u_t - 0.1*u_xx", BOX, CONDITIONS, hard=True)
    options: dict[str, Any] = {"sampling": FEW, "optimizer": "adam:5,ssbroyden", "progress": False}
    whole = qres.solve(problem, small, iterations=10, run=tmp_path / "whole", estimate=True, **options)
    same = qres.solve(text, small, iterations=10, **options)
    np.testing.assert_array_equal(whole("u_xx", **AT), same("u_xx", **AT))
    assert whole.result.estimate
    assert "sin" in (tmp_path / "whole" / "report.html").read_text()
    qres.solve(problem, small, iterations=4, run=tmp_path / "part", estimate=False, **options)
    resumed = qres.resume(tmp_path / "part", iterations=10, **QUICK)
    np.testing.assert_array_equal(resumed("u_xx", **AT), whole("u_xx", **AT))
    loaded = qres.load(tmp_path / "part" / "solution.qres")
    np.testing.assert_array_equal(loaded("u_xx", **AT), whole("u_xx", **AT))
    assert loaded.problem.to_dict() == problem.to_dict()


@pytest.mark.parametrize("stages", ["ssbroyden", "adam:5,lbfgsb"])
def test_a_run_with_a_network_of_ones_own_is_resumed_to_the_bit(tmp_path, stages):
    options: dict[str, Any] = {"sampling": FEW, "optimizer": stages, **QUICK}
    whole = qres.solve(traced(), Own(1), iterations=20, run=tmp_path / "whole", **options)
    qres.solve(traced(), Own(1), iterations=8, run=tmp_path / "part", **options)
    resumed = qres.resume(tmp_path / "part", network=Own(2), iterations=20, **QUICK)
    np.testing.assert_array_equal(resumed("u_xx", **AT), whole("u_xx", **AT))
    assert resumed.result.loss == whole.result.loss
    loaded = qres.load(tmp_path / "part" / "solution.qres", network=Own(3))
    np.testing.assert_array_equal(loaded("u", **AT), whole("u", **AT))


def test_a_run_of_a_function_without_an_expression_is_resumed_with_it(tmp_path):
    options: dict[str, Any] = {"sampling": FEW, **QUICK}
    small = qres.Architecture(width=4, depth=1)
    measured = qres.Data({"t": np.array([0.1, 0.2]), "x": np.array([0.4, 0.5]), "u": np.array([0.9, 0.8])})
    problem = opaque().with_data(measured)
    whole = qres.solve(problem, small, iterations=12, **options)
    qres.solve(problem, small, iterations=5, run=tmp_path / "part", **options)
    resumed = qres.resume(tmp_path / "part", problem=opaque(), iterations=12, **QUICK)
    np.testing.assert_array_equal(resumed("u", **AT), whole("u", **AT))
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, r"functions, diffusion, whose code a file does not hold: write qres.resume\('.*', problem=…\)"),
        ({"problem": opaque(0.2)}, r"not the one that was saved: equation has other values"),
        ({"problem": opaque(), "network": Own(1)}, r"the run describes its network: leave network= out"),
    ]
    for given, message in cases:
        with pytest.raises(qres.InputError, match=message):
            qres.resume(tmp_path / "part", **given, **QUICK)


def test_a_run_with_a_network_of_ones_own_says_what_to_give(tmp_path):
    qres.solve(traced(), Own(1), iterations=3, run=tmp_path / "run", sampling=FEW, **QUICK)
    with pytest.raises(qres.InputError, match=r"network is a Own, .* write qres.resume\('.*', network=…\)"):
        qres.resume(tmp_path / "run", **QUICK)
    with pytest.raises(qres.InputError, match="is not like the one that was saved"):
        qres.resume(tmp_path / "run", network=Own(1).inner, **QUICK)
    with pytest.raises(qres.InputError, match="not the one that was saved: equation has other values"):
        qres.resume(tmp_path / "run", network=Own(1), problem=traced(0.3), **QUICK)


LINE = qres.Problem("u_x = -u", {"x": (0, 1)}, ["u(0) = 1"])


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (eqx.nn.MLP(1, 1, 4, 1, key=jax.random.key(0)), r"layers of equinox take one point: wrap them"),
        (lambda x: jnp.concatenate([x, x]), r"\(1, points\), for u; it gave shape \(2, 7\) for 7 points"),
        (lambda x: None, r"it gave None"),
        (lambda x: x.undefined, r"it raised AttributeError"),
        (lambda x: x[0], r"it gave shape \(7,\)"),
        (Own(0), r"it raised"),
    ],
)
def test_a_network_that_does_not_map_points_to_fields_is_one_line(network, message):
    with pytest.raises(InputError, match=rf"^network: .*{message}") as caught:
        qres.solve(LINE, network, iterations=1, **QUICK)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampling": 500}, r"sampling must be a qres\.Sampling, such as .*points=500.*, not 500"),
        ({"weights": 5}, "weights must be numbers by name"),
        ({"time": 5}, r"time must be a qres\.Time"),
        ({"run": 5}, "run must be the name of a folder, not 5"),
        ({"callbacks": 5}, "callbacks must be a list of functions"),
        ({"callbacks": print}, "callbacks must be a list of functions"),
    ],
)
def test_arguments_of_another_type_are_one_line(options, message):
    with pytest.raises(InputError, match=message):
        qres.solve(LINE, **{"iterations": 1, **QUICK, **options})


def test_what_is_no_problem_is_one_line():
    with pytest.raises(InputError, match=r"problem must be a qres\.Problem, a built-in problem's name"):
        qres.solve(5, **QUICK)  # pyright: ignore
