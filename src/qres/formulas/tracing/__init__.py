"""Python functions as expressions, and the check that they agree."""

from ._agreement import agree as agree
from ._integral import integral as integral
from ._integral import mean as mean
from ._trace import traced as traced
