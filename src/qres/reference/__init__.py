"""Reference solutions: exact, spectral and finite-element ones, and collocation tableaux. No JAX here."""

from . import spectral as spectral
from . import wake as wake
from ._gridded import Gridded as Gridded
from ._gridded import mesh as mesh
from .burgers import cole_hopf as cole_hopf
from .catalogue import COMPLEX as COMPLEX
from .catalogue import axes_of as axes_of
from .catalogue import gridded as gridded
from .catalogue import names as names
from .catalogue import solve as solve
from .fourier import Box as Box
from .tableau import Tableau as Tableau
from .tableau import gauss_legendre as gauss_legendre
