"""How certain the unknowns are: covariance, intervals, and the noise in the data."""

from ._covariance import unknown_spread as unknown_spread
from ._intervals import Intervals as Intervals
from ._intervals import find_intervals as find_intervals
from ._noise import Discrepancy as Discrepancy
from ._noise import discrepancy as discrepancy
