"""Linear problems by linear algebra: random features, and one least-squares solve for the output layer.

`FeatureSolver(problem, seed=0).solve()` gives a `Found` whose `model` is like that of any training, a network with one
hidden layer whose hidden weights are random, and whose `residual` says how well it solves the problem: the largest root
mean square of a residual at points that no row of the system is at, as a share of the terms in it. `Found.features` may
be given to the next `solve(features=...)`, as of the next time window: then nothing is searched for.
"""

from ._affine import is_affine as is_affine
from ._features import Features as Features
from ._features import feature_network as feature_network
from ._grow import FeatureSolver as FeatureSolver
from ._grow import Found as Found
from ._search import Trial as Trial
