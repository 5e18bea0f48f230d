"""The one evaluator of residuals: sources of fields to named residuals at their places."""

from ._integrals import WithIntegrals as WithIntegrals
from ._integrals import recorded_integrals as recorded_integrals
from ._integrals import with_integrals as with_integrals
from ._residual import Measured as Measured
from ._residual import Place as Place
from ._residual import Residual as Residual
from ._residual import Term as Term
from ._residual import condition_residual as condition_residual
from ._residual import equation_residual as equation_residual
from ._residual import term_residual as term_residual
from ._residuals import Residuals as Residuals
from ._residuals import Slopes as Slopes
from ._residuals import rows_at as rows_at
from ._sources import FieldSource as FieldSource
from ._sources import Outputs as Outputs
from ._sources import Tabulated as Tabulated
from ._sources import Transformed as Transformed
from ._sources import coordinate_jets as coordinate_jets
from ._sources import recorded_coordinates as recorded_coordinates
from ._terms import TERMS as TERMS
from ._terms import Terms as Terms
from ._terms import check_term_names as check_term_names
from ._terms import find_terms as find_terms
from ._terms import name_terms as name_terms
from ._terms import register_term as register_term
