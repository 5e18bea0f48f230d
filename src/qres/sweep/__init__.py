"""Sweeps: many runs, on the cores of this machine or on a Dask cluster, each done once and cached.

`run(grid("burgers", {"width": [10, 20], "network": ["qres", "mlp"]}, seeds=5), "runs/sweep")`, then `summarize`.
"""

from qres.sweep.summary import Row as Row
from qres.sweep.summary import Summary as Summary
from qres.sweep.summary import cells as cells
from qres.sweep.summary import summarize as summarize
from qres.sweep.summary import write_summary as write_summary

from ._grid import grid as grid
from ._grid import parse_over as parse_over
from ._job import Job as Job
from ._outcome import Outcome as Outcome
from ._outcome import find_outcome as find_outcome
from ._run import run as run
