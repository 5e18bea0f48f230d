"""One self-contained HTML page a run."""

from ._page import write_report as write_report
from ._run import write_run as write_run
