"""Training: `solve` runs optimizers on an objective, records its history, and reports why it stopped."""

from qres.training.loop import Callback as Callback
from qres.training.loop import RunView as RunView

from ._bootstrap import bootstrap as bootstrap
from ._progress import clock_time as clock_time
from ._solve import resume as resume
from ._solve import solve as solve
