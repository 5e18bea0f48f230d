"""Figure 5 of the paper: the loss on the KdV equation, of the runs of Table 2."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.figure import Figure

from qres.plots import FULL, compose

from .._curves import loss_panel
from .._experiment import Experiment, line
from .._record import Record, Records
from .._table import Table
from .table_identification import CLEAN

_VARIANTS = (CLEAN["kdv-inverse-pinn"], CLEAN["kdv-inverse-qres"])


def figure(records: Records) -> Figure | None:
    """Both networks in one panel."""
    if not any(records[variant.name] for variant in _VARIANTS):
        return None
    return compose([[loss_panel(records, _VARIANTS, "", width=FULL)]])


def _handover(record: Record) -> int:
    """The place in the history where Adam ends."""
    return max(i for i, stage in enumerate(record.history["stage"]) if stage == 0)


def _adam_epochs(record: Record) -> int:
    return record.history["total"][_handover(record)]


_QUANTITIES: dict[str, tuple[Callable[[Record], float], str]] = {
    "epochs of Adam": (_adam_epochs, "count"),
    "epochs of L-BFGS-B": (lambda record: record.result.iterations - _adam_epochs(record), "count"),
    "loss after Adam": (lambda record: record.history["loss"][_handover(record)], "error"),
    "loss at the end": (lambda record: record.result.loss, "error"),
}


def table(records: Records) -> Table:
    """The loss where Adam ends and at the end, and how many epochs each optimizer took."""
    return Table(
        ("model", "quantity"),
        [
            line(records, variant, (variant.label, quantity), pick, unit=unit)
            for variant in _VARIANTS
            for quantity, (pick, unit) in _QUANTITIES.items()
        ],
    )


EXPERIMENT = Experiment(
    "figure-kdv-loss",
    "Figure 5: the loss on the KdV equation",
    "The runs of Table 2 with clean data. The paper's claims: QRes reaches the loss of PINN with a fifth "
    "of the epochs of Adam, and ends after a third of the epochs of L-BFGS-B.",
    _VARIANTS,
    table,
    figure,
)
