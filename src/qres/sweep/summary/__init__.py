"""Summaries of sweeps: median and range over the seeds of every setting, as tables, figures and files."""

from ._summary import Row as Row
from ._summary import Summary as Summary
from ._summary import cells as cells
from ._summary import summarize as summarize
from ._tables import write_summary as write_summary
