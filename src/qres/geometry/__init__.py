"""Boxes, regions and surfaces, and samples of their points."""

from ._domain import Domain as Domain
from ._placed import placed as placed
from ._region import Region as Region
from ._region import Surface as Surface
from ._region import part_inside as part_inside
from ._region import points_of_box as points_of_box
from ._region import read_region as read_region
from ._region_points import region_points as region_points
from ._region_points import surface_points as surface_points
from ._sampler import SAMPLERS as SAMPLERS
from ._sampler import ResidualSize as ResidualSize
from ._sampler import Sampler as Sampler
from ._sampler import draw_checked as draw_checked
from ._sampler import find_sampler as find_sampler
from ._sampler import register_sampler as register_sampler
from ._sampling import Pool as Pool
from ._sampling import Sampling as Sampling
from ._sampling import points_in as points_in
from ._sampling import points_on_face as points_on_face
from ._sampling import unit_points as unit_points
