"""Time windows by least squares: each is a Gauss–Newton solve from the state that the one before hands over."""

from ._choice import Kind as Kind
from ._choice import choose_kind as choose_kind
from ._choice import independent_kind as independent_kind
from ._evolution import Evolution as Evolution
from ._evolution import evolution as evolution
from ._march import March as March
from ._march import chain_model as chain_model
from ._march import weights_of as weights_of
from ._newton import solve_window as solve_window
from ._system import Span as Span
