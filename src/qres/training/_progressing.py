"""Where a run is: its counters, which a checkpoint holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from qres.results import Stopped

from ._drawing import Draw
from ._weighing import Balance


@dataclass
class Progressing:
    """Where a run is: all that a checkpoint holds, besides the optimizer's state and the points."""

    stage: int = 0
    total: int = 0  # iterations of all stages
    draws: int = 0  # how often points were drawn anew
    drawn: int = 0  # the iteration of the stage at which that was last due
    looked: int = 0  # and at which noise was last looked for
    draw: Draw = field(default_factory=lambda: Draw(0, 0))  # how many points there are, and for how long
    sharpened: int = 0  # how often equations and conditions got more weight, because data are noisy; or less
    loosened: int = 0  # how often measurements got more, because the misfit stalled above their noise
    balance: Balance = field(default_factory=lambda: Balance({}, {}))  # how much more soft conditions weigh
    noise: Stopped | None = None  # why noisy data should not be fitted further
    retried: int = 0  # the iteration at which points were last drawn anew because nothing moved
    stopped: Stopped | None = None
