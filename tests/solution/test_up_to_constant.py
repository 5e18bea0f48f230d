"""Fields known up to a constant are compared without their mean, at each time by itself."""

import jax
import numpy as np
import pytest
import xarray as xr

from qres.networks import Architecture
from qres.problems import Problem
from qres.residuals import create_model
from qres.solution import Solution


@pytest.mark.parametrize("free", [(), ("p",)])
def test_errors_without_the_mean(free):
    problem = Problem(
        ["u_t = -p_x", "u_x = 0*p"], {"t": [0, 1], "x": [0, 1]}, fields=["u", "p"], up_to_constant=free
    )
    network = Architecture(width=4, depth=1).build(problem, key=jax.random.key(0))
    solution = Solution(problem, create_model(problem, network))
    axes = {"t": np.linspace(0, 1, 4), "x": np.linspace(0, 1, 9)}
    truth = solution.to_xarray(axes)
    truth["p"] = truth["p"] + xr.DataArray([1.0, -2.0, 3.0, 0.5], dims="t")
    errors = solution.errors_against(truth)
    assert errors["u"] < 1e-14
    assert (errors["p"] < 1e-12) == bool(free)
    aligned = solution.on_grid_of(truth)
    assert (float(abs(aligned.p - truth.p).max()) < 1e-12) == bool(free)
