"""The loop of a run and its parts: budget, points, weights, noise, stages, records, checkpoints."""

from ._checkpointer import Checkpointer as Checkpointer
from ._checkpointer import State as State
from ._loop import Callback as Callback
from ._loop import Loop as Loop
from ._recorder import Recorder as Recorder
from ._stopping import with_verdict as with_verdict
from ._view import RunView as RunView
from ._view import call as call
