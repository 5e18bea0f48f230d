"""Fields on a grid: parts of it, other orders, and xarray there and back."""

import numpy as np
import pytest
import xarray as xr

from qres.reference import Gridded

AXES = {"t": np.array([0.0, 0.5, 1.0]), "x": np.array([-1.0, 3.0])}
VALUES = np.arange(6.0).reshape(3, 2)
GRID = Gridded(AXES, {"u": VALUES}, {"error": 1e-9})


def test_points_are_in_the_order_of_the_values():
    t, x = GRID.points()
    assert GRID.shape == (3, 2)
    np.testing.assert_array_equal(t, [0, 0, 0.5, 0.5, 1, 1])
    np.testing.assert_array_equal(x, [-1, 3, -1, 3, -1, 3])


@pytest.mark.parametrize(
    ("value", "place"), [(0.5, (1, True)), (0.5 + 1e-12, (1, True)), (0.6, (1, False)), (7.0, (2, False))]
)
def test_a_value_is_found_on_an_axis_or_not(value, place):
    assert GRID.nearest("t", value) == place


def test_some_places_of_an_axis():
    last = GRID.take("t", [2])
    np.testing.assert_array_equal(last.fields["u"], VALUES[2:])
    assert last.axes["t"].tolist() == [1.0]
    assert GRID.take("t", slice(None, None, 2)).fields["u"].tolist() == VALUES[::2].tolist()
    assert last.attributes == GRID.attributes


def test_another_order_of_the_axes():
    turned = GRID.ordered(("x", "t"))
    assert list(turned.axes) == ["x", "t"]
    np.testing.assert_array_equal(turned.fields["u"], VALUES.T)


def test_xarray_there_and_back():
    dataset = GRID.to_xarray()
    assert dataset["u"].dims == ("t", "x")
    dataset["only_in_time"] = (("t",), AXES["t"])
    back = Gridded.from_xarray(dataset, ("x", "t"))
    assert list(back.fields) == ["u"]
    np.testing.assert_array_equal(back.fields["u"], VALUES.T)
    xr.testing.assert_identical(back.ordered(("t", "x")).to_xarray(), GRID.to_xarray())
