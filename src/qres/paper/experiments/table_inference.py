"""Table 3 of the paper: Schrödinger's and the Allen–Cahn equation, and Burgers' from Table 4."""

from __future__ import annotations

from .._experiment import Experiment, Variant, line
from .._record import Records
from .._table import Table
from .table_architectures import LBFGSB_VARIANTS, parameters

_PINN, _, _, _QRES = LBFGSB_VARIANTS
_ROWS: tuple[tuple[str, Variant, dict[str, float]], ...] = (
    ("Schrödinger", Variant("schrodinger-pinn", "PINN", "schrodinger", "paper-pinn", milliseconds=500),
     {"u": 1.456e-3, "v": 1.878e-3, "h": 1.099e-3}),
    ("Schrödinger", Variant("schrodinger-qres", "QRes", "schrodinger", "paper", milliseconds=270),
     {"u": 1.379e-3, "v": 1.751e-3, "h": 1.059e-3}),
    ("Allen–Cahn", Variant("allen-cahn-pinn", "PINN", "allen-cahn-discrete", "paper-pinn", milliseconds=25),
     {"u": 5.044e-3}),
    ("Allen–Cahn", Variant("allen-cahn-qres", "QRes", "allen-cahn-discrete", "paper", milliseconds=6),
     {"u": 3.577e-3}),
    ("Burgers'", _PINN, {"u": 3.760e-3}),
    ("Burgers'", _QRES, {"u": 3.386e-3}),
)  # fmt: skip


def table(records: Records) -> Table:
    """The relative error of each field."""
    return Table(
        ("equation", "model", "parameters", "quantity"),
        [
            line(
                records,
                variant,
                (equation, variant.label, parameters(records, variant), f"error {'|h|' if f == 'h' else f}"),
                lambda record, field=f: record.result.errors[field],
                paper=number,
            )
            for equation, variant, paper in _ROWS
            for f, number in paper.items()
        ],
    )


EXPERIMENT = Experiment(
    "table-inference",
    "Table 3: forward problems",
    "Relative L2 error (the paper writes normalized mean square error; its scripts compute this). "
    "Schrödinger: 50k epochs of Adam, then L-BFGS-B. Allen–Cahn, in one step of a Runge–Kutta method with "
    "100 stages: 10k, then L-BFGS-B. The rows of Burgers' equation are the runs of Table 4.",
    tuple(variant for _, variant, _ in _ROWS),
    table,
)
