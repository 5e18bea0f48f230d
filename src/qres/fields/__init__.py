"""Parameters to fields: model, Runge–Kutta stages, grids; everything that evaluating a saved solution needs."""

from ._between import StageEvaluator as StageEvaluator
from ._evaluate import Evaluator as Evaluator
from ._grid import default_axes as default_axes
from ._grid import even_axes as even_axes
from ._grid import known_solution as known_solution
from ._grid import only_inside as only_inside
from ._grid import outside as outside
from ._grid import relative_error as relative_error
from ._grid import rms as rms
from ._grid import without_mean as without_mean
from ._grid import without_means as without_means
from ._model import Model as Model
from ._model import as_float64 as as_float64
from ._model import model_fields as model_fields
from ._model import recorded_fields as recorded_fields
from ._requests import Request as Request
from ._requests import labelled as labelled
from ._requests import parse_parts as parse_parts
from ._requests import parse_request as parse_request
from ._scheme import MOST_STEPS as MOST_STEPS
from ._scheme import TIME as TIME
from ._scheme import Part as Part
from ._scheme import Scheme as Scheme
from ._stages import Stages as Stages
from ._time import Time as Time
