"""Sweeps: many runs, on the cores of this machine or on a Dask cluster, each done once and found again.

`run(grid("burgers", {"width": [10, 20], "network": ["qres", "mlp"]}, seeds=5), "runs/sweep")`, then `summarize`.
"""

from ._grid import grid as grid
from ._grid import parse_over as parse_over
from ._job import Job as Job
from ._outcome import Outcome as Outcome
from ._outcome import find_outcome as find_outcome
from ._run import run as run
from ._summary import Row as Row
from ._summary import Summary as Summary
from ._summary import summarize as summarize
from ._tables import cells as cells
from ._tables import write_summary as write_summary
