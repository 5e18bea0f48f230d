"""Training: `solve` drives optimizers over objectives, shows and keeps what happens, and says why it stopped."""

from ._bootstrap import bootstrap as bootstrap
from ._run_folder import RunFolder as RunFolder
from ._run_folder import default_folder as default_folder
from ._run_folder import now as now
from ._run_folder import versions as versions
from ._solve import resume as resume
from ._solve import solve as solve
from ._specification import Specification as Specification
from ._specification import read_specification as read_specification
from ._specification import with_options as with_options
