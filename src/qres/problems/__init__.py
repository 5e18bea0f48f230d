"""What is asked: equations on a box, conditions, constants and unknowns, as text, as Python or as a file."""

from qres._errors import InputError as InputError
from qres._errors import check_keys as check_keys
from qres._errors import did_you_mean as did_you_mean

from . import library as library
from ._condition import Condition as Condition
from ._data import Data as Data
from ._evolution import time_factors as time_factors
from ._evolution import without_time as without_time
from ._file import SECTIONS as SECTIONS
from ._file import read_toml as read_toml
from ._formula import Equation as Equation
from ._formula import Formula as Formula
from ._initial import initial_values as initial_values
from ._one_step import one_step as one_step
from ._own_reference import ReferenceFile as ReferenceFile
from ._own_reference import reference_names as reference_names
from ._posed import Posed as Posed
from ._problem import Problem as Problem
from ._recordings import recordings as recordings
from ._region import Region as Region
from ._region import Surface as Surface
from ._region import part_inside as part_inside
from ._spectral import reference_of as reference_of
from ._spectral import spectral_reference as spectral_reference
from ._tables import READERS as READERS
from ._unknown import Between as Between
from ._unknown import Free as Free
from ._unknown import Positive as Positive
from ._unknown import Unknown as Unknown
