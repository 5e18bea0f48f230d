"""What was found: evaluate it, compare it, draw it, keep it."""

from ._estimate import Estimate as Estimate
from ._estimate import estimate as estimate
from ._estimate_verdict import Verdict as Verdict
from ._file import load as load
from ._file import named_leaves as named_leaves
from ._grid import known_solution as known_solution
from ._grid import relative_error as relative_error
from ._solution import Solution as Solution
