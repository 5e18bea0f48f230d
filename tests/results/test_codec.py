"""Strict JSON, from which everything comes back as it was."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qres.results import dumps, loads

TEXTS = st.text(max_size=5) | st.sampled_from(["NaN", "\\NaN", "\\\\Infinity", "-Infinity", "nan", "\\x"])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


def refuse(name):
    raise AssertionError(f"{name} is not JSON")


def same(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return math.isnan(one) == math.isnan(other) and (math.isnan(one) or one == other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


@given(PLAIN)
def test_everything_comes_back(value):
    text = dumps(value)
    json.loads(text, parse_constant=refuse)
    assert same(loads(text), value)


def test_numbers_that_are_not_finite_are_words():
    assert dumps([math.nan, math.inf, -math.inf, 1.5]) == '["NaN", "Infinity", "-Infinity", 1.5]'
    assert dumps("NaN") == '"\\\\NaN"'


def test_files_of_earlier_releases_are_read():
    assert same(
        loads('{"loss": NaN, "errors": {"u": Infinity}}'), {"loss": math.nan, "errors": {"u": math.inf}}
    )


def test_what_is_not_plain_is_an_error():
    with pytest.raises(TypeError):
        dumps({"a": object()})
