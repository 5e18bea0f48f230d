"""Stages as text, and what happens when a dense matrix does not fit."""

import jax.numpy as jnp
import optax
import pytest

import qres
from qres.loss import function_target
from qres.optimizers import (
    BFGS,
    LBFGS,
    OPTIMIZERS,
    Adam,
    LevenbergMarquardt,
    Optax,
    SSBroyden,
    as_stage,
    fit_to_memory,
    name_stages,
    parse_stages,
    register_optimizer,
)


def test_stages_are_read_in_order():
    assert parse_stages("adam:500, lbfgs") == (Adam(500), LBFGS())
    assert parse_stages("SSBroyden") == (SSBroyden(),)
    assert parse_stages("lm:3,bfgs:7") == (LevenbergMarquardt(3), BFGS(7))
    assert parse_stages("adam:500@0.01,adam@1e-4") == (Adam(500, 0.01), Adam(learning_rate=1e-4))


@pytest.mark.parametrize(
    "text", ["ssbroyden", "adam:500,lbfgs", "lm:3,bfgs:7,ssbfgs", "adam", "adam:7@0.01,adam@0.1"]
)
def test_stages_and_back(text):
    assert name_stages(parse_stages(text)) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("adan", "optimizer 'adan' is not known; did you mean 'adam'?"),
        ("", "optimizer '' is not known"),
        ("adam,,bfgs", "optimizer '' is not known"),
        ("adam:0", "iterations must be a whole number of 1 or more, or *, not '0'"),
        ("adam:-5", "not '-5'"),
        ("adam:1e3", "not '1e3'"),
        ("adam:5:6", "not '5:6'"),
        ("adam:²", "not '²'"),
        ("adam:,lbfgs", "not ''"),
        ("adam:5@", "the learning rate must be a number, not ''"),
        ("adam:5@fast", "the learning rate must be a number, not 'fast'"),
        ("adam@-1", "learning_rate must be"),
        ("bfgs:5@0.1", "only adam has a learning rate"),
    ],
)
def test_a_mistake_is_named(text, says):
    with pytest.raises(ValueError) as caught:
        parse_stages(text)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("method", "wrong"),
    [
        (Adam, {"iterations": 0}), (Adam, {"iterations": -3}), (Adam, {"learning_rate": 0.0}),
        (Adam, {"halve_every": -2}), (LBFGS, {"memory": 0}), (LBFGS, {"line_search": -3}),
        (LBFGS, {"ftol": float("nan")}), (LBFGS, {"gtol": -1.0}),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(method, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        method(**wrong)


def test_a_stage_without_a_limit_of_its_own():
    assert parse_stages("adam:*") == (Adam(iterations=None),)
    assert name_stages((Adam(iterations=None), LBFGS(iterations=None))) == "adam:*,lbfgs:*"


def test_what_fits_in_memory_is_left_alone():
    stages = (Adam(10), SSBroyden())
    assert fit_to_memory(stages, 1500, memory=2**34) == (stages, None)


def test_what_does_not_fit_is_replaced_and_said():
    stages, said = fit_to_memory((Adam(10), SSBroyden(300)), 40_000, memory=2**34)
    assert stages == (Adam(10), LBFGS(300))
    assert said is not None
    assert "ssbroyden would need 23.8 GiB for 40000 parameters" in said
    assert "lbfgs is used instead" in said


def test_the_name_of_the_paper_stays_readable():
    assert parse_stages("adam:500,lbfgsb:7") == (Adam(500), LBFGS(7))
    with pytest.raises(ValueError, match="'lbfgsb' is built in"):
        register_optimizer("lbfgsb", lambda iterations: LBFGS(iterations))


TARGET = function_target(lambda x: jnp.sum(x**2), 2)


class Own:
    """An optimizer with the three methods only; here they are not run."""

    def init(self, target, theta, batch):
        return {"theta": theta}

    def step(self, target, state, batch, count):
        return state

    def on_new_points(self, target, state, batch):
        return state


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(OPTIMIZERS, "added", {})
    register_optimizer("my-name", lambda iterations: Optax(optax.sgd(0.1), iterations))
    register_optimizer("fixed", lambda iterations: Optax(optax.sgd(0.1), 30))


@pytest.mark.parametrize("text", ["my-name:500,ssbroyden", "adam,my-name", "lm:3,fixed:30"])
def test_a_registered_name_stands_in_text(registered, text):
    assert name_stages(parse_stages(text)) == text


def test_a_registered_optimizer_has_the_number_of_its_text_or_its_own(registered):
    (stage,) = parse_stages("My-Name:*")
    assert stage.iterations is None and stage.name == "my-name"
    assert [stage.iterations for stage in parse_stages("fixed,fixed:40")] == [30, 40]


@pytest.mark.parametrize(
    ("name", "says"), [("adam", "built in"), ("a b", "lower-case"), ("Own", "lower-case")]
)
def test_a_name_that_cannot_be_registered(name, says):
    with pytest.raises(ValueError, match=says):
        register_optimizer(name, lambda iterations: Own())


def test_what_a_factory_makes_must_be_an_optimizer(registered):
    register_optimizer("wrong", lambda iterations: 3)  # pyright: ignore
    with pytest.raises(ValueError, match="optimizer: 3 is none"):
        parse_stages("wrong")


def test_an_object_has_defaults_for_what_it_does_not_say():
    stage = as_stage(Own())
    assert (stage.name, stage.iterations, stage.work_per_step, stage.monotone) == ("own", None, 1, False)
    assert stage.bytes_needed(1000) == 0
    with pytest.raises(ValueError, match="init must return a state with theta, value, iteration and status"):
        stage.init(TARGET, jnp.ones(2), {})


def test_what_has_no_text_form_stands_in_brackets():
    stages = (as_stage(Own()), Adam(10, halve_every=5), Optax(optax.sgd(0.1), 7, "sgd"), LBFGS(memory=3))
    text = name_stages(stages)
    assert text == "<own>,<adam>:10,<sgd>:7,<lbfgs>:50000"
    assert name_stages(parse_stages(text)) == text
    with pytest.raises(ValueError, match="optimizer <own> was given as an object"):
        parse_stages(text)[0].init(TARGET, jnp.ones(2), {})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"transformation": "adam"}, "is no transformation"),
        ({"iterations": 0}, "iterations"),
        ({"name": "a,b"}, "name"),
    ],
)
def test_wrong_options_of_optax_are_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        Optax(**({"transformation": optax.sgd(0.1)} | wrong))


def test_a_name_is_looked_for_in_the_files_of_extensions(tmp_path, monkeypatch):
    monkeypatch.setattr(OPTIMIZERS, "added", {})
    file = tmp_path / "mine.py"
    file.write_text(
        "import optax, qres\n"
        "qres.extend.register_optimizer('of-file', lambda n: qres.Optax(optax.sgd(0.1), n))\n"
    )
    monkeypatch.setenv("QRES_EXTENSIONS", str(file))
    assert name_stages(parse_stages("of-file:3")) == "of-file:3"
    broken = tmp_path / "broken.py"
    broken.write_text("1 / 0")
    with pytest.raises(ValueError, match=r"broken.py: ZeroDivisionError"):
        qres.extend.use(broken)
