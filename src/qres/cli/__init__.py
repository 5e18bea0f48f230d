"""The command line, `qres`."""

from ._interrupt import handle_interrupts, is_program

if is_program():
    handle_interrupts()  # before the other imports, which take time

from . import identify as identify
from . import predict as predict
from . import reference as reference
from . import reproduce as reproduce
from . import show as show
from . import solve as solve
from . import sweep as sweep
from . import theory as theory
from ._app import app as app
from ._app import main as main
