"""All experiments, in the order of the paper's tables and figures."""

from __future__ import annotations

from collections.abc import Sequence

from qres.paper.experiments import (
    figure_burgers_loss,
    figure_efficiency,
    figure_error_map,
    figure_kdv_loss,
    figure_sine,
    figure_waves,
    table_architectures,
    table_identification,
    table_inference,
)
from qres.runtime.errors import InputError, one_of

from ._experiment import Experiment

ALL = "all"
_MODULES = (
    table_identification, table_inference, table_architectures, figure_sine, figure_efficiency, figure_kdv_loss,
    figure_burgers_loss, figure_error_map, figure_waves,
)  # fmt: skip
EXPERIMENTS: dict[str, Experiment] = {module.EXPERIMENT.name: module.EXPERIMENT for module in _MODULES}


_NUMBERS = {  # "Table 3: …" is table-3, too
    experiment.title.partition(":")[0].lower().replace(" ", "-"): name
    for name, experiment in EXPERIMENTS.items()
}


def chosen(names: Sequence[str]) -> list[Experiment]:
    """The experiments of these names, or of the paper's numbers, each once; "all" is all of them."""
    if not names:
        raise InputError(f"name an experiment, or {ALL}: {', '.join(EXPERIMENTS)}")
    names = [_NUMBERS.get(name, name) for name in names]
    for name in names:
        one_of(name, (*EXPERIMENTS, ALL), "experiment")
    return (
        list(EXPERIMENTS.values()) if ALL in names else [EXPERIMENTS[name] for name in dict.fromkeys(names)]
    )
