"""A self-contained HTML page per run."""

from ._page import write_report as write_report
from ._run import write_run as write_run
