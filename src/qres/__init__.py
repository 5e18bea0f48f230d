"""Solve partial differential equations, and find the unknown numbers in them, with quadratic residual networks.

`qres.solve("burgers")`, or your own `qres.Problem`. Importing qres is light; using it switches JAX to float64.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qres import jets as jets
    from qres.data import Data as Data
    from qres.fields import Time as Time
    from qres.geometry import Sampling as Sampling
    from qres.jets import abs as abs
    from qres.jets import acos as acos
    from qres.jets import asin as asin
    from qres.jets import atan as atan
    from qres.jets import cos as cos
    from qres.jets import cosh as cosh
    from qres.jets import elu as elu
    from qres.jets import erf as erf
    from qres.jets import exp as exp
    from qres.jets import gelu as gelu
    from qres.jets import heaviside as heaviside
    from qres.jets import log as log
    from qres.jets import max as max
    from qres.jets import min as min
    from qres.jets import sech as sech
    from qres.jets import sigmoid as sigmoid
    from qres.jets import sign as sign
    from qres.jets import silu as silu
    from qres.jets import sin as sin
    from qres.jets import sinh as sinh
    from qres.jets import softplus as softplus
    from qres.jets import sqrt as sqrt
    from qres.jets import tan as tan
    from qres.jets import tanh as tanh
    from qres.jets import where as where
    from qres.networks import APINN as APINN
    from qres.networks import ISC as ISC
    from qres.networks import MLP as MLP
    from qres.networks import QDN as QDN
    from qres.networks import QSC as QSC
    from qres.networks import Architecture as Architecture
    from qres.networks import QRes as QRes
    from qres.optimizers import BFGS as BFGS
    from qres.optimizers import LBFGSB as LBFGSB
    from qres.optimizers import SSBFGS as SSBFGS
    from qres.optimizers import Adam as Adam
    from qres.optimizers import LevenbergMarquardt as LevenbergMarquardt
    from qres.optimizers import SSBroyden as SSBroyden
    from qres.posed import Between as Between
    from qres.posed import Condition as Condition
    from qres.posed import Free as Free
    from qres.posed import Positive as Positive
    from qres.problems import Problem as Problem
    from qres.results import Estimate as Estimate
    from qres.results import Record as Record
    from qres.results import Result as Result
    from qres.results import Stop as Stop
    from qres.results import UnknownEstimate as UnknownEstimate
    from qres.runs import Specification as Specification
    from qres.runs import read_specification as read_specification
    from qres.runtime.errors import InputError as InputError
    from qres.solution import Solution as Solution
    from qres.solution import load as load
    from qres.theory.spectrum import spectral_bias as spectral_bias
    from qres.training import Callback as Callback
    from qres.training import RunView as RunView
    from qres.training import bootstrap as bootstrap
    from qres.training import resume as resume
    from qres.training import solve as solve

_HOME = {
    "jets": (
        "abs", "acos", "asin", "atan", "cos", "cosh", "elu", "erf", "exp", "gelu", "heaviside", "log", "max",
        "min", "sech", "sigmoid", "sign", "silu", "sin", "sinh", "softplus", "sqrt", "tan", "tanh", "where",
    ),
    "data": ("Data",),
    "fields": ("Time",),
    "geometry": ("Sampling",),
    "networks": ("APINN", "ISC", "MLP", "QDN", "QSC", "Architecture", "QRes"),
    "optimizers": ("BFGS", "LBFGSB", "SSBFGS", "Adam", "LevenbergMarquardt", "SSBroyden"),
    "posed": ("Between", "Condition", "Free", "Positive"),
    "problems": ("Problem",),
    "results": ("Estimate", "Record", "Result", "Stop", "UnknownEstimate"),
    "runs": ("Specification", "read_specification"),
    "runtime.errors": ("InputError",),
    "solution": ("Solution", "load"),
    "theory.spectrum": ("spectral_bias",),
    "training": ("Callback", "RunView", "bootstrap", "resume", "solve"),
}  # fmt: skip
_WHERE = {name: module for module, names in _HOME.items() for name in names}
_MODULES = (
    *(name for name in _HOME if "." not in name), "paper", "plots", "reference", "report", "sweep", "theory"
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """Public names are imported when first used, so that the command line starts at once."""
    if name in _WHERE:
        return getattr(import_module(f"qres.{_WHERE[name]}"), name)
    if name in _MODULES:
        return import_module(f"qres.{name}")
    raise AttributeError(f"module 'qres' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_WHERE, *_MODULES])
