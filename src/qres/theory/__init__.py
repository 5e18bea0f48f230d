"""What an architecture can express: its leading variety, and where the paper's propositions hold."""

from ._analysis import Analysis as Analysis
from ._analysis import analyse as analyse
from ._architecture import Architecture as Architecture
from ._architecture import Kind as Kind
from ._architecture import Last as Last
from ._architecture import forms as forms
from ._check import Check as Check
from ._comparison import depth_bound as depth_bound
from ._comparison import equal_dimension as equal_dimension
from ._comparison import least_depth as least_depth
from ._comparison import width_exponents as width_exponents
from ._dimension import Dimension as Dimension
from ._dimension import attains_dimension as attains_dimension
from ._dimension import dimension as dimension
from ._document import CHECKS as CHECKS
from ._document import check as check
from ._document import write_tables as write_tables
from ._widths import corrected_widths as corrected_widths
from ._widths import narrowest as narrowest
from ._widths import proposition_widths as proposition_widths
