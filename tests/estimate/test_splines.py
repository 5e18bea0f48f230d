"""The spline spaces of the estimate: derivatives, least squares, and refinement where residuals are left."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres.estimate._grids import all_residuals
from qres.estimate._linearization import Linearization
from qres.estimate._refinement import refined
from qres.estimate.splines import Space, Splines
from qres.estimate.splines._normal import NormalEquations, band_order
from qres.estimate.splines._qr import BandQR
from qres.fields import Model
from qres.solution import Solution


@pytest.mark.parametrize("periodic", [False, True])
def test_splines_and_their_derivatives(periodic):
    x = np.linspace(0, 2 * np.pi, 25)
    one = Splines(x, 5, periodic)
    points, weights = one.gauss()
    assert weights.sum() == pytest.approx(1)
    coefficients = np.linalg.lstsq(one.values(points, 0).toarray(), np.sin(points), rcond=None)[0]
    assert one.values(points, 2) @ coefficients == pytest.approx(-np.sin(points), abs=1e-3)
    space = Space((one, Splines(np.linspace(0, 1, 7), 4, False)))
    for fixed in ((None, None), (None, 0.5)):
        grid, shares = space.grid(fixed)
        assert shares.sum() == pytest.approx(1)
        random = np.random.default_rng(0).standard_normal((2, space.size))
        dense = (space.on_grid(fixed, (1, 2)) @ random.T).T
        assert space.sums_on_grid(fixed, (1, 2), random) == pytest.approx(dense)
        assert space.at(grid, (1, 2)).toarray() == pytest.approx(space.on_grid(fixed, (1, 2)).toarray())


def test_least_squares_with_dense_columns_at_the_end():
    import scipy.sparse as sparse

    generator = np.random.default_rng(1)
    line = Splines(np.linspace(0, 1, 30), 4, False)
    space = Space((line, Splines(np.linspace(0, 1, 8), 4, False)))
    points = generator.random((2, 900))
    A: Any = sparse.hstack(
        [space.at(points, (0, 0)), sparse.csr_matrix(generator.standard_normal((900, 2)))]
    ).tocsr()
    b = generator.standard_normal(900)
    sizes = [one.size for one in space.splines]
    right = np.linalg.lstsq(A.toarray(), b, rcond=None)[0]
    qr = BandQR(A, b, np.zeros(A.shape[1]), *band_order(A[:, : space.size], 1, sizes))
    for found in (NormalEquations(A, b, 1, sizes), qr):
        assert found.x == pytest.approx(right, rel=1e-5, abs=1e-5)
        assert found.inverse(A.T @ b) == pytest.approx(right, rel=1e-5, abs=1e-5)


def test_splines_are_added_where_residuals_are_left():
    problem = qres.Problem("u_x = cos(x)", {"x": (0, 1)}, ["u(0) = 0"], hard=False)
    solution = Solution(
        problem, Model(lambda z: jnp.sin(z) + 1e-3 * jnp.tanh((z - 0.3) / 1e-3), {}, ((0.0, 1.0),))
    )
    residuals = all_residuals(problem)
    at = Linearization(solution, residuals, Space((Splines(np.linspace(0, 1, 41), 4, False),)))
    more = refined(at.space, at.places, at.step(at.start).left, 2.0)
    widths, ends = np.diff(more.splines[0].breaks), more.splines[0].breaks[1:]
    assert len(widths) == pytest.approx(80, abs=8)
    assert widths[np.abs(ends - 0.3) < 0.03].max() < widths.max() / 3
    assert solution.estimate().errors["u"] == pytest.approx(1.92e-3, rel=0.05)
