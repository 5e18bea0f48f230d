"""How conditions are built into the fields: strategies, and the chosen ansatz as data that is saved."""

from qres.ansatz.kinks import ChebyshevSeries as ChebyshevSeries

from ._ansatz import Ansatz as Ansatz
from ._ansatz import ansatz_from as ansatz_from
from ._choose import STRATEGIES as STRATEGIES
from ._choose import choose_ansatz as choose_ansatz
from ._proof import left_soft as left_soft
from ._proof import proved as proved
from ._strategy import Refusal as Refusal
from ._strategy import Strategy as Strategy
