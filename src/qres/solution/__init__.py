"""What was found: evaluate it, compare it, draw it, keep it."""

from ._file import named_leaves as named_leaves
from ._load import load as load
from ._solution import Solution as Solution
