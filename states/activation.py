"""What happens on `activate`, in one table.

Read a row as: when verified, `link` does link.do and the host is linked; should it or a later step fail,
`undo_link` does link.undo and the host is verified again. The last arrow of the way back is resume.py.
"""

from typing import Final

from states import install_units, link, probe, record, start
from states.state import State
from states.step import Step

# fmt: off
STEPS: Final = (
    Step("link",          State.VERIFIED,        State.LINKED,          link.do,          link.undo),
    Step("install_units", State.LINKED,          State.UNITS_INSTALLED, install_units.do, install_units.undo),
    Step("start",         State.UNITS_INSTALLED, State.STARTED,         start.do,         start.undo),
    Step("probe",         State.STARTED,         State.HEALTHY,         probe.do,         probe.undo),
    Step("record",        State.HEALTHY,         State.RECORDED,        record.do,        record.undo),
)
# fmt: on
