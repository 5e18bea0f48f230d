"""Spectral bias: which frequencies of a target a network learns, and when."""

from ._bias import amplitudes as amplitudes
from ._bias import bias_of_run as bias_of_run
from ._bias import epochs_between as epochs_between
from ._bias import learnt_at as learnt_at
from ._bias import spectral_bias as spectral_bias
from ._bias import target_frequencies as target_frequencies
from ._figure import spectral_bias_figure as spectral_bias_figure
from ._figure import spectral_bias_panel as spectral_bias_panel
