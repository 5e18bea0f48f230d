"""Complex fields: expressions split into real and imaginary parts, so that all later rooms are real."""

from ._names import modulus_name as modulus_name
from ._names import part_names as part_names
from ._parts import parts as parts
from ._split import split_formula as split_formula
