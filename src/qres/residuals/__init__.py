"""Fields to named residuals: equations, conditions and measurements at their points, scaled to their units."""

from ._block import Block as Block
from ._block import Chunk as Chunk
from ._block import Segment as Segment
from ._block import equation_block as equation_block
from ._block import place_block as place_block
from ._create_model import create_model as create_model
from ._scales import field_scales as field_scales
from ._scales import scale_of as scale_of
from ._stage_blocks import condition_block as condition_block
from ._stage_blocks import snapshot_block as snapshot_block
from ._trial import TrialResidual as TrialResidual
from ._trial import power_of_ten as power_of_ten
from ._units import residual_sizes as residual_sizes
from ._units import term_sizes as term_sizes
from ._unknown_units import unknown_units as unknown_units
