"""Complex fields: expressions of them, split into real and imaginary parts, so that everything behind is real."""

from ._names import modulus_name as modulus_name
from ._names import part_names as part_names
from ._parts import parts as parts
from ._split import split_formula as split_formula
