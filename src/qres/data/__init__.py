"""Measurements: readers of files, grids, columns, and synthetic data."""

from ._data import Data as Data
from ._draw import EXACT as EXACT
from ._draw import from_exact as from_exact
from ._draw import from_reference as from_reference
from ._given import Given as Given
from ._given import as_data as as_data
from ._tables import READERS as READERS
