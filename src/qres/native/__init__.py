"""Native code, compiled on the user's machine where there is a C++ compiler: network passes, symmetric matrices."""

from ._build import compiler as compiler
from ._build import kernel as kernel
from ._matrix import symmetric_product as symmetric_product
from ._matrix import updated as updated
from ._network import Native as Native
from ._network import accelerated as accelerated
from ._network import lacks_compiler as lacks_compiler
from ._source import series_source as series_source
