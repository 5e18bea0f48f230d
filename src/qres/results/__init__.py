"""Results as types, and the one JSON codec that writes them; evaluating a saved file needs no later room for them."""

from ._codec import dumps as dumps
from ._codec import loads as loads
from ._estimate import Estimate as Estimate
from ._estimate import Verdict as Verdict
from ._estimate import residuals_table as residuals_table
from ._record import Record as Record
from ._result import Result as Result
from ._sentence import estimated as estimated
from ._sentence import sentence as sentence
from ._stop import Stop as Stop
from ._stop import Stopped as Stopped
from ._unknown import Number as Number
from ._unknown import UnknownEstimate as UnknownEstimate
from ._unknowns import NORMAL_95 as NORMAL_95
from ._unknowns import Unknowns as Unknowns
from ._unknowns import scalars as scalars
from ._unknowns import unknown_parts as unknown_parts
from ._unknowns import unknowns_table as unknowns_table
