"""Stages as text, and what happens when a dense matrix does not fit."""

import pytest

from qres.optimizers import (
    BFGS,
    LBFGSB,
    Adam,
    LevenbergMarquardt,
    SSBroyden,
    fitting,
    name_stages,
    parse_stages,
)


def test_stages_are_read_in_order():
    assert parse_stages("adam:500, lbfgsb") == (Adam(500), LBFGSB())
    assert parse_stages("SSBroyden") == (SSBroyden(),)
    assert parse_stages("lm:3,bfgs:7") == (LevenbergMarquardt(3), BFGS(7))
    assert parse_stages("adam:500@0.01,adam@1e-4") == (Adam(500, 0.01), Adam(learning_rate=1e-4))


@pytest.mark.parametrize(
    "text", ["ssbroyden", "adam:500,lbfgsb", "lm:3,bfgs:7,ssbfgs", "adam", "adam:7@0.01,adam@0.1"]
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
        ("adam:,lbfgsb", "not ''"),
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
        (Adam, {"halve_every": -2}), (LBFGSB, {"memory": 0}), (LBFGSB, {"line_search": -3}),
        (LBFGSB, {"ftol": float("nan")}), (LBFGSB, {"gtol": -1.0}),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(method, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        method(**wrong)


def test_a_stage_without_a_limit_of_its_own():
    assert parse_stages("adam:*") == (Adam(iterations=None),)
    assert name_stages((Adam(iterations=None), LBFGSB(iterations=None))) == "adam:*,lbfgsb:*"


def test_what_fits_in_memory_is_left_alone():
    stages = (Adam(10), SSBroyden())
    assert fitting(stages, 1500, memory=2**34) == (stages, None)


def test_what_does_not_fit_is_replaced_and_said():
    stages, said = fitting((Adam(10), SSBroyden(300)), 40_000, memory=2**34)
    assert stages == (Adam(10), LBFGSB(300))
    assert said is not None
    assert "ssbroyden would need 23.8 GiB for 40000 parameters" in said
    assert "lbfgsb is used instead" in said
