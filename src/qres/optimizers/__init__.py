"""Optimizers over one flat vector: `init`, then repeated `step`."""

from ._adam import Adam as Adam
from ._base import CONVERGED as CONVERGED
from ._base import NO_DESCENT as NO_DESCENT
from ._base import NOT_FINITE as NOT_FINITE
from ._base import REASONS as REASONS
from ._base import RUNNING as RUNNING
from ._base import Optimizer as Optimizer
from ._base import Stage as Stage
from ._base import State as State
from ._gauss_newton import LevenbergMarquardt as LevenbergMarquardt
from ._lbfgs import LBFGS as LBFGS
from ._named import OPTIMIZERS as OPTIMIZERS
from ._named import fit_to_memory as fit_to_memory
from ._named import memory_bytes as memory_bytes
from ._named import name_stages as name_stages
from ._named import parse_stages as parse_stages
from ._named import register_optimizer as register_optimizer
from ._optax import Optax as Optax
from ._quasi_newton import BFGS as BFGS
from ._quasi_newton import SSBFGS as SSBFGS
from ._quasi_newton import SSBroyden as SSBroyden
from ._stage import MissingOptimizer as MissingOptimizer
from ._stage import as_stage as as_stage
