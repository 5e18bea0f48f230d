"""Layers and families of networks; each works on arrays and on jets alike."""

from ._embedding import Embedding as Embedding
from ._families import APINN as APINN
from ._families import ISC as ISC
from ._families import MLP as MLP
from ._families import QDN as QDN
from ._families import QSC as QSC
from ._families import QRes as QRes
from ._first_format import FIRST_ARCHITECTURE as FIRST_ARCHITECTURE
from ._frequencies import Frequencies as Frequencies
from ._frequencies import Series as Series
from ._frequencies import measured_frequencies as measured_frequencies
from ._kinds import register_layer as register_layer
from ._layers import AdaptiveActivation as AdaptiveActivation
from ._layers import IdentityShortcut as IdentityShortcut
from ._layers import Plain as Plain
from ._layers import Quadratic as Quadratic
from ._layers import QuadraticShortcut as QuadraticShortcut
from ._network import Architecture as Architecture
from ._network import Domain as Domain
from ._network import Network as Network
from ._network import count_parameters as count_parameters
from ._own import checked as checked
from ._own import initialized as initialized
from ._own import is_factory as is_factory
