"""Linear problems by linear algebra: random features, and one least-squares solve for the output layer.

`FeatureSolver(problem, seed=0).solve()` gives a `Found` whose `model` is like that of any training, a network with one
hidden layer whose hidden weights are random, and whose `residual` says how well it solves the problem: the largest root
mean square of a residual at points that no row of the system is at, as a share of the terms in it. `Found.features` may
be given to the next `solve(features=...)`, as of the next time window: then nothing is searched for.
"""

from ._affine import is_affine as is_affine
from ._columns import feature_columns as feature_columns
from ._columns import outputs_at as outputs_at
from ._dense import solve_dense as solve_dense
from ._features import Features as Features
from ._features import feature_network as feature_network
from ._features import output_of as output_of
from ._features import with_output as with_output
from ._grow import FeatureSolver as FeatureSolver
from ._grow import Found as Found
from ._linearised import Lineariser as Lineariser
from ._points import draw_points as draw_points
from ._search import Trial as Trial
from ._search import fitting_reach as fitting_reach
from ._search import search as search
