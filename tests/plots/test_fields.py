"""Figures of solutions: the right panels for each number of coordinates, whatever the values are."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure

from qres import plots


def dataset(names: str, fields: str = "u", scale: float = 1.0, low: float = -1.0) -> xr.Dataset:
    axes = {name: np.linspace(low, 1, 9 + i) for i, name in enumerate(names)}
    phase = sum(xr.DataArray(values, dims=name) for name, values in axes.items())
    return xr.Dataset({name: scale * np.sin(2 * phase + i) for i, name in enumerate(fields)}, coords=axes)


@pytest.mark.parametrize(
    ("names", "panels"),
    [("t", 2), ("x", 2), ("tx", 2 + 4), ("xt", 2 + 4), ("xy", 3), ("txy", 6), ("xyz", 6), ("txyz", 6)],
)
def test_panels_with_a_reference(names: str, panels: int):
    exact = dataset(names)
    rows = plots.field_rows(exact + 1e-6, exact)
    assert sum(map(len, rows)) == panels
    assert len({panel.description for row in rows for panel in row}) == panels
    if names in ("t", "tx", "txyz"):  # the others draw the same panels
        plots.compose(rows).draw_without_rendering()


@pytest.mark.parametrize(("names", "panels"), [("t", 1), ("tx", 2), ("xy", 1), ("txy", 3), ("txyz", 3)])
def test_panels_without_a_reference(names: str, panels: int):
    rows = plots.field_rows(dataset(names))
    assert sum(map(len, rows)) == panels
    assert not any("error" in panel.description for row in rows for panel in row)
    if names in ("tx", "xy"):
        plots.compose(rows).draw_without_rendering()


def test_time_is_horizontal_whatever_the_order():
    for names in ("tx", "xt"):
        exact = dataset(names)
        axes = plots.field_figure(exact + 1e-6, exact).axes[0]
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("$t$", "$x$")


def test_one_row_a_field_and_only_those_asked_for():
    exact = dataset("xy", "uvp")
    assert len(plots.field_rows(exact + 1, exact)) == 3
    assert len(plots.field_rows(exact + 1, exact, fields=["v"])) == 1
    partly = plots.field_rows(exact + 1, exact[["u"]])
    assert [len(row) for row in partly] == [3, 2], "fields without reference have no error, and share a row"


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_any_size(scale: float):
    exact = dataset("tx", scale=scale)
    plots.field_figure(exact * (1 + 1e-6), exact).draw_without_rendering()


@pytest.mark.parametrize("names", ["t", "xy"])
@pytest.mark.parametrize(("value", "truth"), [(0.0, 0.0), (3.0, 2.0), (np.nan, 1.0), (np.inf, np.nan)])
def test_constant_and_broken_values(names: str, value: float, truth: float):
    found, exact = (xr.full_like(dataset(names), constant) for constant in (value, truth))
    plots.field_figure(found, exact).draw_without_rendering()


def test_slices_of_broken_values():
    plots.field_figure(xr.full_like(dataset("tx"), np.nan), dataset("tx")).draw_without_rendering()


def test_signed_fields_get_diverging_colours_about_zero():
    mesh = plots.field_figure(dataset("xy")).axes[0].collections[0]
    assert mesh.get_cmap().name == "RdBu_r"
    assert np.isclose(np.sum(mesh.get_clim()), 0)
    positive = plots.field_figure(dataset("xy") + 300).axes[0].collections[0]
    assert positive.get_cmap().name == "viridis"
    assert np.min(positive.get_clim()) > 298


def test_coordinates_with_one_value_are_dropped():
    exact = dataset("txy")
    assert len(plots.field_rows(exact.isel(t=[0]), exact.isel(t=[0]))[0]) == 3


def test_grids_that_agree_to_rounding_are_the_same():
    exact = dataset("tx")
    moved = exact.assign_coords(x=exact.x * (1 + 1e-15))
    _map, _bar, error, *_ = plots.field_figure(moved + 1e-3, exact).axes
    assert np.allclose(np.asarray(error.collections[0].get_array()), 1e-3)


def test_mistakes_are_named():
    exact = dataset("tx")
    with pytest.raises(ValueError, match="fields: no field 'w'; there are u"):
        plots.field_figure(exact, fields=["w"])
    with pytest.raises(ValueError, match="not on the prediction's grid, in coordinate 'x'"):
        plots.field_figure(exact, exact.isel(x=slice(3)))
    with pytest.raises(ValueError, match="no field"):
        plots.field_figure(xr.Dataset())
    with pytest.raises(ValueError, match="0 coordinates"):
        plots.field_figure(exact.isel(t=0, x=0))


def test_no_global_state():
    import matplotlib.pyplot as pyplot  # only to look

    assert isinstance(plots.field_figure(dataset("x")), Figure)
    assert pyplot.get_fignums() == []
