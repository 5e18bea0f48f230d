"""What all tests share: the annotations of qres are checked, and property-based tests do not depend on chance."""

import sys
from types import ModuleType

import beartype
from hypothesis import settings
from jaxtyping import install_import_hook

# Where wrong input is expected and has messages of its own (problems, specifications, the command line), types are
# not checked by force. A whole number is a float, as everywhere in Python.
CHECKED = ("qres.jets", "qres.networks._embedding", "qres.networks._layers", "qres.objectives._block",
           "qres.objectives._continuous", "qres.objectives._engine", "qres.objectives._model", "qres.optimizers",
           "qres.solution._evaluate", "qres.solution._grid")  # fmt: skip

_typechecker = ModuleType("qres_typechecker")
_typechecker.checked = beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))  # pyright: ignore
sys.modules["qres_typechecker"] = _typechecker
install_import_hook(CHECKED, "qres_typechecker.checked")

settings.register_profile("qres", derandomize=True, deadline=None, max_examples=25, print_blob=True)
settings.load_profile("qres")
