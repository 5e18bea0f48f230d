"""Solve partial differential equations, and find the unknown numbers in them, with quadratic residual networks.

`qres.solve("burgers")`, or your own `qres.Problem`. Importing qres is light, and changes nothing of JAX; using it
switches JAX to float64 (`qres.configure`).

Public is what `dir(qres)` lists, and what the modules in that list have without an underscore in front. All other
modules, and every name that begins with an underscore, may change in any release (docs/api-stability.md).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qres.data import Data as Data
    from qres.fields import Time as Time
    from qres.fields import Windows as Windows
    from qres.formulas import integral as integral
    from qres.formulas import mean as mean
    from qres.geometry import Sampling as Sampling
    from qres.networks import APINN as APINN
    from qres.networks import ISC as ISC
    from qres.networks import MLP as MLP
    from qres.networks import QDN as QDN
    from qres.networks import QSC as QSC
    from qres.networks import Architecture as Architecture
    from qres.networks import QRes as QRes
    from qres.optimizers import BFGS as BFGS
    from qres.optimizers import LBFGS as LBFGS
    from qres.optimizers import SSBFGS as SSBFGS
    from qres.optimizers import Adam as Adam
    from qres.optimizers import LevenbergMarquardt as LevenbergMarquardt
    from qres.optimizers import Optax as Optax
    from qres.optimizers import SSBroyden as SSBroyden
    from qres.posed import Between as Between
    from qres.posed import Condition as Condition
    from qres.posed import Free as Free
    from qres.posed import Positive as Positive
    from qres.problems import Problem as Problem
    from qres.report import citation as citation
    from qres.results import Estimate as Estimate
    from qres.results import Record as Record
    from qres.results import Result as Result
    from qres.results import Stop as Stop
    from qres.results import UnknownEstimate as UnknownEstimate
    from qres.runs import Specification as Specification
    from qres.runs import read_specification as read_specification
    from qres.runtime.errors import InputError as InputError
    from qres.runtime.jax_config import configure as configure
    from qres.solution import Solution as Solution
    from qres.solution import load as load
    from qres.theory.spectrum import spectral_bias as spectral_bias
    from qres.training import bootstrap as bootstrap
    from qres.training import resume as resume
    from qres.training import solve as solve
    from qres.training.loop import Callback as Callback
    from qres.training.loop import RunView as RunView

    from . import estimate as estimate
    from . import extend as extend
    from . import jets as jets
    from . import math as math
    from . import paper as paper
    from . import plots as plots
    from . import reference as reference
    from . import report as report
    from . import sweep as sweep
    from . import theory as theory
    from .math import abs as abs
    from .math import acos as acos
    from .math import asin as asin
    from .math import atan as atan
    from .math import cos as cos
    from .math import cosh as cosh
    from .math import elu as elu
    from .math import erf as erf
    from .math import exp as exp
    from .math import gelu as gelu
    from .math import heaviside as heaviside
    from .math import log as log
    from .math import max as max
    from .math import min as min
    from .math import sech as sech
    from .math import sigmoid as sigmoid
    from .math import sign as sign
    from .math import silu as silu
    from .math import sin as sin
    from .math import sinh as sinh
    from .math import softplus as softplus
    from .math import sqrt as sqrt
    from .math import tan as tan
    from .math import tanh as tanh
    from .math import where as where

    __version__: str

_HOME = {
    "math": (
        "abs", "acos", "asin", "atan", "cos", "cosh", "elu", "erf", "exp", "gelu", "heaviside", "log", "max",
        "min", "sech", "sigmoid", "sign", "silu", "sin", "sinh", "softplus", "sqrt", "tan", "tanh", "where",
    ),
    "data": ("Data",),
    "fields": ("Time", "Windows"),
    "formulas": ("integral", "mean"),
    "geometry": ("Sampling",),
    "networks": ("APINN", "ISC", "MLP", "QDN", "QSC", "Architecture", "QRes"),
    "optimizers": ("BFGS", "LBFGS", "SSBFGS", "Adam", "LevenbergMarquardt", "Optax", "SSBroyden"),
    "posed": ("Between", "Condition", "Free", "Positive"),
    "problems": ("Problem",),
    "results": ("Estimate", "Record", "Result", "Stop", "UnknownEstimate"),
    "report": ("citation",),
    "runs": ("Specification", "read_specification"),
    "runtime.errors": ("InputError",),
    "runtime.jax_config": ("configure",),
    "solution": ("Solution", "load"),
    "theory.spectrum": ("spectral_bias",),
    "training": ("Callback", "RunView", "bootstrap", "resume", "solve"),
}  # fmt: skip
_WHERE = {name: module for module, names in _HOME.items() for name in names}
_MODULES = ("estimate", "extend", "jets", "math", "paper", "plots", "reference", "report", "sweep", "theory")
_DISTRIBUTION = "qres-pde"


def __getattr__(name: str) -> Any:
    """Public names are imported when first used, so that the command line starts at once."""
    if name in _WHERE:
        return getattr(import_module(f"qres.{_WHERE[name]}"), name)
    if name == "__version__":
        return import_module("importlib.metadata").version(_DISTRIBUTION)
    if name in _MODULES:
        return import_module(f"qres.{name}")
    raise AttributeError(f"module 'qres' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_WHERE, *_MODULES, "__version__"])
