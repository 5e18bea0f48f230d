"""A run as plain data: specification, presets, settings and the run folder."""

from ._preset import OVERRIDDEN as OVERRIDDEN
from ._preset import overlaid as overlaid
from ._preset import with_preset as with_preset
from ._run_folder import CHECKPOINT as CHECKPOINT
from ._run_folder import RunFolder as RunFolder
from ._run_folder import RunFolderLocked as RunFolderLocked
from ._run_folder import now as now
from ._run_folder import run_folder as run_folder
from ._run_folder import versions as versions
from ._settings import Place as Place
from ._settings import drop_hidden_widths as drop_hidden_widths
from ._settings import place as place
from ._settings import set_override as set_override
from ._settings import short_name as short_name
from ._settings import unknown as unknown
from ._specification import TRIAL as TRIAL
from ._specification import Specification as Specification
from ._specification import file_of as file_of
from ._specification import read_specification as read_specification
from ._specification import read_tables as read_tables
from ._specification import with_options as with_options
from ._start import Start as Start
