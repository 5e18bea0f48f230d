"""Results as types, and the one JSON codec that writes them; evaluating a saved file needs no later room for them."""

from ._codec import dumps as dumps
from ._codec import loads as loads
from ._estimate import Estimate as Estimate
from ._estimate import Verdict as Verdict
from ._record import Record as Record
from ._result import Result as Result
from ._stop import Stop as Stop
from ._stop import Stopped as Stopped
from ._unknown import Number as Number
from ._unknown import UnknownEstimate as UnknownEstimate
