"""A network's pass as native code, compiled on the user's machine where there is a C++ compiler."""

from ._build import compiler as compiler
from ._build import kernel as kernel
from ._network import Native as Native
from ._network import accelerated as accelerated
from ._source import series_source as series_source
