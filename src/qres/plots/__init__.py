"""Pictures of solutions, of training and of fits. Nothing here touches Matplotlib's global state."""

from qres.results import NORMAL_95 as NORMAL_95
from qres.results import scalars as scalars
from qres.results.display import symbol as symbol

from ._colours import Colours as Colours
from ._colours import draw_map as draw_map
from ._colours import value_colours as value_colours
from ._data import data_figure as data_figure
from ._data import data_rows as data_rows
from ._fields import field_figure as field_figure
from ._fields import field_rows as field_rows
from ._history import History as History
from ._history import loss_figure as loss_figure
from ._history import loss_rows as loss_rows
from ._labels import label as label
from ._panel import Panel as Panel
from ._panel import Picture as Picture
from ._panel import Row as Row
from ._panel import Rows as Rows
from ._panel import compose as compose
from ._parameters import parameters_figure as parameters_figure
from ._save import render as render
from ._save import save as save
from ._style import FULL as FULL
from ._style import INK as INK
from ._style import MIDDLE as MIDDLE
from ._style import MUTED as MUTED
from ._style import NARROW as NARROW
from ._style import NEUTRAL as NEUTRAL
from ._style import SERIES as SERIES
from ._style import WIDE as WIDE
from ._style import add_grid as add_grid
from ._style import add_legend as add_legend
from ._style import style_axes as style_axes
from ._unknowns import unknown_rows as unknown_rows
from ._unknowns import unknowns_figure as unknowns_figure
