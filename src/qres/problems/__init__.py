"""Problems: equations on a box, conditions, constants and unknowns, as text, as Python or as a file."""

from . import library as library
from ._file import SECTIONS as SECTIONS
from ._file import read_toml as read_toml
from ._fingerprint import Fingerprint as Fingerprint
from ._fingerprint import difference as difference
from ._fingerprint import same_values as same_values
from ._fingerprint import term_fingerprints as term_fingerprints
from ._given import Mismatch as Mismatch
from ._given import check_given as check_given
from ._given import given_problem as given_problem
from ._initial import initial_values as initial_values
from ._one_step import ansatz_state as ansatz_state
from ._one_step import one_step as one_step
from ._own_reference import ReferenceFile as ReferenceFile
from ._own_reference import reference_names as reference_names
from ._problem import Problem as Problem
from ._reading import Saved as Saved
from ._spectral import reference_of as reference_of
from ._spectral import spectral_reference as spectral_reference
