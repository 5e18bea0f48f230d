"""Spline spaces, and least squares in them."""

from ._qr import factored as factored
from ._splines import Space as Space
from ._splines import Sparse as Sparse
from ._splines import Splines as Splines
from ._splines import space_for as space_for
