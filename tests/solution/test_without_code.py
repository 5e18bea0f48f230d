"""Files of what is Python: functions that have no expression, and networks of the user's own."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres.networks import Architecture
from qres.problems import Problem
from qres.residuals import create_model
from qres.runtime.errors import InputError
from qres.solution import Solution, load

BOX = {"t": (0, 1), "x": (0, 1)}
CONDITIONS = ["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u(t, 1) = 0"]


def heat(rate=0.1, box=BOX, conditions=CONDITIONS, hard=True):
    def diffusion(u, x):
        return u.t - rate * qres.where(~(x < 0.5), u.xx, 2 * u.xx)

    return Problem(diffusion, box, conditions, hard=hard)


class Own(eqx.Module):
    first: eqx.nn.Linear
    last: eqx.nn.Linear
    steps: jax.Array
    wave: float = eqx.field(static=True)

    def __init__(self, seed=0, width=5, wave=1.0):
        keys = jax.random.split(jax.random.key(seed))
        self.first, self.last = eqx.nn.Linear(2, width, key=keys[0]), eqx.nn.Linear(width, 1, key=keys[1])
        self.steps, self.wave = jnp.arange(3), wave

    def __call__(self, points):
        return jax.vmap(self._at, in_axes=1, out_axes=1)(points)

    def _at(self, point):
        return self.last(jnp.sin(self.wave * self.first(point)))


def saved(path, problem, network):
    solution = Solution(problem, create_model(problem, network))
    solution.save(path)
    return solution


def message(path, **given):
    with pytest.raises(InputError) as error:
        load(path, **given)
    text = str(error.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text


@pytest.fixture
def file(tmp_path):
    return tmp_path / "a.qres"


AT = {"t": np.linspace(0, 1, 7), "x": 0.3}


def test_a_function_without_an_expression_is_given_on_loading(file):
    problem = heat()
    assert not problem.is_text
    network = Architecture(width=3, depth=1).build(problem, key=jax.random.key(0))
    before = saved(file, problem, network)
    after = load(file, problem=heat())
    np.testing.assert_array_equal(after("u_x", **AT), before("u_x", **AT))
    assert after.problem.hard
    assert "functions, diffusion, whose code a file does not hold" in message(file)
    assert "problem=…" in message(file)
    assert "equation has other values" in message(file, problem=heat(0.2))
    assert "initial has other values" in message(
        file, problem=heat(conditions=["u(0, x) = x", *CONDITIONS[1:]])
    )
    assert "domain differs" in message(file, problem=heat(box={**BOX, "t": (0, 2)}))
    assert "must be a qres.Problem, not str" in message(file, problem="heat")


def test_a_problem_that_the_file_holds_may_be_given_if_it_is_the_same(file):
    def problem(rate):
        return Problem(lambda u: u.t - rate * u.xx, BOX, CONDITIONS)

    saved(file, problem(0.1), Architecture(width=3, depth=1).build(problem(0.1), key=jax.random.key(0)))
    assert load(file, problem=problem(0.1)).problem.equations[0].text == "u_t - 0.1*u_xx"
    assert "equation has other values" in message(file, problem=problem(0.3))


def test_the_ansatz_is_the_one_that_was_saved(file):
    problem = heat()
    network = Architecture(width=3, depth=1).build(problem, key=jax.random.key(0))
    before = saved(file, problem, network)
    other = heat(hard=False)
    after = load(file, problem=other)
    np.testing.assert_array_equal(after("u", **AT), before("u", **AT))


def test_any_module_is_filled_with_the_weights_of_the_file(file):
    problem = Problem("u_t = u_xx", BOX, CONDITIONS)
    before = saved(file, problem, Own(seed=1))
    after = load(file, network=Own(seed=2))
    np.testing.assert_array_equal(after("u_xx", **AT), before("u_xx", **AT))
    assert after.model.network.steps.dtype == before.model.network.steps.dtype
    assert "the network is a Own, whose code a file does not hold" in message(file)
    assert "network.first.weight has shape (9, 2), and the file has shape (5, 2)" in message(
        file, network=Own(width=9)
    )
    assert "other values" in message(file, network=Own(wave=2.0))
    assert "network must be a network, not a int" in message(file, network=3)


def test_a_module_of_other_types_or_with_parts_left_over_is_refused(file):
    problem = Problem("u_t = u_xx", BOX, CONDITIONS)
    own = Own()
    saved(file, problem, own)
    floats = eqx.tree_at(lambda m: m.steps, own, own.steps * 1.0)
    assert "network.steps has type float64, and the file has int" in message(file, network=floats)
    fewer = eqx.tree_at(lambda m: m.steps, own, None)
    assert "it has no network.steps" in message(file, network=fewer)


def test_a_network_of_qres_is_in_the_file(file):
    problem = Problem("u_t = u_xx", BOX, CONDITIONS)
    network = Architecture(width=3, depth=1).build(problem, key=jax.random.key(0))
    saved(file, problem, network)
    assert "the file holds its network: leave network= out" in message(file, network=network)


def test_a_function_is_a_network_without_weights(file):
    problem = Problem("u_t = u_xx", BOX, CONDITIONS)
    before = saved(file, problem, lambda point: point[:1] * point[1:])
    after = load(file, network=lambda point: point[:1] * point[1:])
    np.testing.assert_array_equal(after("u", **AT), before("u", **AT))


@pytest.mark.parametrize("part", ["transform", "exact", "definitions", "conditions", "inside"])
def test_every_place_of_a_function_is_compared(file, part):
    def problem(number):
        def value(x, y):
            return number * qres.where(~(x < 0.5), x, y)

        def field(u, x):
            return number * u * qres.where(~(x < 0.5), x, 1.0)

        stated = {
            "transform": {"u": field},
            "definitions": {"w": field},
            "exact": {"u": value},
            "conditions": [qres.Condition.at({"y": 0}, field)],
            "inside": [lambda x, y: number - x - qres.where(~(x < 0.5), y, y)],
        }[part]
        return Problem("u_xx + u_yy = 0", {"x": (0, 1), "y": (0, 1)}, **{part: stated})

    one = problem(1.5)
    assert not one.is_text
    before = saved(file, one, Architecture(width=3, depth=1).build(one, key=jax.random.key(0)))
    after = load(file, problem=problem(1.5))
    np.testing.assert_array_equal(after("u", x=0.2, y=0.3), before("u", x=0.2, y=0.3))
    assert "other values" in message(file, problem=problem(1.6))
