"""Python functions as expressions, and the check that they agree."""

from ._agreement import agree as agree
from ._trace import traced as traced
