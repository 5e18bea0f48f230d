"""The a-posteriori error estimate."""

from ._estimate import estimate as estimate
