"""The run of time windows: steps, records, checkpoints, and what comes out."""

from ._solve import resume_windows as resume_windows
from ._solve import solve_windows as solve_windows
