"""Figure 6 of the paper: the loss of the runs of Table 4."""

from __future__ import annotations

from matplotlib.figure import Figure

from qres.plots import compose

from .._curves import loss_panel
from .._experiment import Experiment, line
from .._record import Records
from .._table import Table
from .table_architectures import ADAM_VARIANTS, LBFGSB_VARIANTS

_GROUPS = {"L-BFGS-B": LBFGSB_VARIANTS, "Adam": ADAM_VARIANTS}


def figure(records: Records) -> Figure | None:
    """One panel an optimizer."""
    panels = [
        loss_panel(records, variants, name)
        for name, variants in _GROUPS.items()
        if any(records[variant.name] for variant in variants)
    ]
    return compose([panels]) if panels else None


def table(records: Records) -> Table:
    """The loss at the end, and after how many epochs that was."""
    lines = []
    for name, variants in _GROUPS.items():
        for variant in variants:
            labels = (variant.label, name)
            lines.append(line(records, variant, (*labels, "loss"), lambda r: r.result.loss))
            lines.append(
                line(records, variant, (*labels, "epochs"), lambda r: r.result.iterations, unit="count")
            )
    return Table(("model", "optimizer", "quantity"), lines)


EXPERIMENT = Experiment(
    "figure-burgers-loss",
    "Figure 6: the loss on Burgers' equation",
    "The runs of Table 4. The paper's claim: QRes converges faster, whatever the optimizer. Its text says "
    "that L-BFGS-B takes about 7000 epochs.",
    (*LBFGSB_VARIANTS, *ADAM_VARIANTS),
    table,
    figure,
)
