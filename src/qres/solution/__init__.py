"""Solutions: evaluation, comparison, pictures and files."""

from ._extremum import Extremum as Extremum
from ._load import load as load
from ._module import named_leaves as named_leaves
from ._module import network_bytes as network_bytes
from ._module import read_network as read_network
from ._solution import Solution as Solution
