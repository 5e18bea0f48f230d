"""The loop of a run and its parts: budget, points, weights, noise, stages, records, checkpoints."""

from ._loop import Callback as Callback
from ._loop import Loop as Loop
from ._stopping import with_verdict as with_verdict
from ._view import RunView as RunView
from ._view import call as call
