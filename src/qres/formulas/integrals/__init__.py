"""Integrals in formulas: how they are read, what they depend on, and their MathML."""

from ._depends import free_coordinates as free_coordinates
from ._depends import integrals_in as integrals_in
from ._depends import integrals_through as integrals_through
from ._read import integral_of as integral_of
from ._read import read_integral as read_integral
