"""Uncertainty of the unknowns: covariance, intervals, and the treatment of noisy data."""

from ._covariance import unknown_covariance as unknown_covariance
from ._discrepancy import data_discrepancies as data_discrepancies
from ._discrepancy import handle_stall as handle_stall
from ._intervals import Intervals as Intervals
from ._intervals import find_intervals as find_intervals
from ._noise import Discrepancy as Discrepancy
from ._noise import discrepancy as discrepancy
from ._noise_monitor import NOISE_LEVEL as NOISE_LEVEL
from ._noise_monitor import SHARPENING as SHARPENING
from ._noise_monitor import NoiseMonitor as NoiseMonitor
from ._noise_monitor import hold_out as hold_out
from ._noise_monitor import is_data as is_data
