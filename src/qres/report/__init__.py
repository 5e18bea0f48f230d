"""A self-contained HTML page per run, and what to cite for it."""

from ._citation import Citation as Citation
from ._citation import Citations as Citations
from ._citation import citation as citation
from ._page import write_report as write_report
from ._run import write_run as write_run
