"""The a-posteriori error estimate."""

from ._estimate import Estimate as Estimate
from ._estimate import estimate as estimate
from ._verdict import Verdict as Verdict
