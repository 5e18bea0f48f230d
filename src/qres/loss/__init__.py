"""Residuals to a scalar loss: points and weights on the devices, in continuous and discrete time."""

from ._balance import balanced_weights as balanced_weights
from ._balance import condition_groups as condition_groups
from ._balance import sensitivities as sensitivities
from ._continuous import Objective as Objective
from ._continuous import Points as Points
from ._continuous import kind_of as kind_of
from ._continuous import term_weights as term_weights
from ._discrete import DiscreteObjective as DiscreteObjective
from ._discrete import discrete_model as discrete_model
from ._engine import AXIS as AXIS
from ._engine import Batch as Batch
from ._engine import Engine as Engine
from ._engine import Target as Target
from ._engine import function_target as function_target
from ._point_budget import PointBudget as PointBudget
from ._point_budget import first_point_budget as first_point_budget
from ._point_budget import next_point_budget as next_point_budget
from ._snapshots import discretize as discretize
