"""Shapes: in words, from files, and as Python objects."""

from ._grammar import Shape as Shape
from ._grammar import read_shape as read_shape
from ._grammar import split_and as split_and
from ._named import BOUNDARY as BOUNDARY
from ._named import named_surfaces as named_surfaces
from ._named import read_shapes as read_shapes
