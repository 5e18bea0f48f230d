"""How conditions are built into the fields; the chosen ansatz is data that is saved."""

from ._automatic import automatic_transform as automatic_transform
from ._automatic import left_soft as left_soft
from ._constraints import Constraints as Constraints
from ._constraints import constraints_from as constraints_from
