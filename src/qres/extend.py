"""Extension points: protocols, and functions that register an implementation under a name.

What is registered can be named in text: in TOML files, run folders and sweeps. A process looks for names that it does
not know in the files of `QRES_EXTENSIONS`; `use("my_extensions.py")` runs such a file, and puts it there.
"""

from __future__ import annotations

from qres.geometry import Sampler, register_sampler
from qres.jets import concatenate, linear, register_activation, rows
from qres.loss import Target
from qres.networks import register_layer
from qres.optimizers import CONVERGED, NO_DESCENT, NOT_FINITE, RUNNING, Optimizer, State, register_optimizer
from qres.posed.evaluator import Term, register_term
from qres.runtime.random import generator
from qres.runtime.registry import use_extensions as use

__all__ = [
    "CONVERGED",
    "NOT_FINITE",
    "NO_DESCENT",
    "RUNNING",
    "Optimizer",
    "Sampler",
    "State",
    "Target",
    "Term",
    "concatenate",
    "generator",
    "linear",
    "register_activation",
    "register_layer",
    "register_optimizer",
    "register_sampler",
    "register_term",
    "rows",
    "use",
]
