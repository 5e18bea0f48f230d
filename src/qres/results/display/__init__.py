"""Numbers, names and tables as HTML, for notebooks and report pages."""

from ._names import name as name
from ._names import symbol as symbol
from ._numbers import duration as duration
from ._numbers import number as number
from ._numbers import rounded as rounded
from ._table import table as table
