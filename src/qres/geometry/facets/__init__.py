"""Surfaces of segments and triangles: where they are, what they go around, and points on them."""

from ._facets import Facets as Facets
from ._polygon import closed_loops as closed_loops
from ._polygon import closed_polygon as closed_polygon
