"""Problem and network to named residuals: what is to vanish, where, and how much it weighs."""

from ._block import condition_values as condition_values
from ._continuous import Objective as Objective
from ._continuous import Points as Points
from ._continuous import term_weights as term_weights
from ._covariance import unknown_spread as unknown_spread
from ._discrete import DiscreteObjective as DiscreteObjective
from ._discrete import discrete_model as discrete_model
from ._engine import AXIS as AXIS
from ._engine import Batch as Batch
from ._engine import Engine as Engine
from ._engine import Target as Target
from ._engine import function_target as function_target
from ._model import Model as Model
from ._model import fields_at as fields_at
from ._model import value_of as value_of
from ._processes import agreed as agreed
from ._processes import is_first as is_first
from ._processes import spread as spread
from ._processes import whole as whole
from ._sampling import Sampling as Sampling
from ._sampling import unit_points as unit_points
from ._scheme import Scheme as Scheme
from ._snapshots import discretize as discretize
from ._stages import Stages as Stages
from ._time import Time as Time
