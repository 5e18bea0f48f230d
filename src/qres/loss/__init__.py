"""Residuals to a number: points and weights on the devices, in continuous and discrete time."""

from ._balance import balanced_weights as balanced_weights
from ._balance import sensitivities as sensitivities
from ._balance import sister_conditions as sister_conditions
from ._continuous import Objective as Objective
from ._continuous import Points as Points
from ._continuous import kind_of as kind_of
from ._continuous import term_weights as term_weights
from ._discrete import DiscreteObjective as DiscreteObjective
from ._discrete import discrete_model as discrete_model
from ._drawing import Draw as Draw
from ._drawing import first_draw as first_draw
from ._drawing import next_draw as next_draw
from ._engine import AXIS as AXIS
from ._engine import Batch as Batch
from ._engine import Engine as Engine
from ._engine import Target as Target
from ._engine import function_target as function_target
from ._snapshots import discretize as discretize
