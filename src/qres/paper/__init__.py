"""The paper's experiments, one file per table or figure."""

from ._catalogue import EXPERIMENTS as EXPERIMENTS
from ._catalogue import chosen as chosen
from ._document import document as document
from ._document import write_document as write_document
from ._experiment import Experiment as Experiment
from ._experiment import Variant as Variant
from ._plan import Plan as Plan
from ._plan import duration as duration
from ._plan import make_plan as make_plan
from ._record import Record as Record
from ._record import Records as Records
from ._reproduce import Reproduction as Reproduction
from ._reproduce import reproduce as reproduce
from ._scale import PAPER as PAPER
from ._scale import SCALES as SCALES
from ._scale import SHORT as SHORT
from ._scale import Scale as Scale
from ._table import Line as Line
from ._table import Table as Table
