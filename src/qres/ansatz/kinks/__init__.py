"""Kinks of periodic initial data, and their evolution under dispersion, scattering and diffusion."""

from ._backgrounds import background_from as background_from
from ._backgrounds import background_state as background_state
from ._kinks import Kink as Kink
from ._kinks import find_kink as find_kink
from ._series import ChebyshevSeries as ChebyshevSeries
from ._smoothing import smoothing_of as smoothing_of
from ._waves import plane_waves_of as plane_waves_of
from ._waves import scattered_waves_of as scattered_waves_of
