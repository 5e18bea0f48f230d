"""Pictures of solutions, of training and of fits. Nothing here touches Matplotlib's global state."""

from ._data import data_figure as data_figure
from ._data import data_rows as data_rows
from ._fields import field_figure as field_figure
from ._fields import field_rows as field_rows
from ._history import History as History
from ._history import loss_figure as loss_figure
from ._history import loss_rows as loss_rows
from ._labels import label as label
from ._labels import symbol as symbol
from ._panel import Panel as Panel
from ._panel import Row as Row
from ._panel import Rows as Rows
from ._panel import compose as compose
from ._save import render as render
from ._save import save as save
from ._style import NEUTRAL as NEUTRAL
from ._unknowns import NORMAL_95 as NORMAL_95
from ._unknowns import scalars as scalars
from ._unknowns import unknown_rows as unknown_rows
from ._unknowns import unknowns_figure as unknowns_figure
