"""Eigenvalue problems: several states of one statement, found at once."""

from ._expand import STATES as STATES
from ._expand import States as States
from ._expand import state_statement as state_statement
