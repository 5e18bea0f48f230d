"""Statements with complex fields, read as statements with real ones."""

from ._real_statement import RealStatement as RealStatement
from ._real_statement import complex_names as complex_names
from ._real_statement import real_statement as real_statement
