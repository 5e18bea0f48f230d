"""The solution of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qres.inference import Intervals
from qres.loss import DiscreteObjective, Objective, Points
from qres.networks import Network, count_parameters
from qres.optimizers import name_stages
from qres.results import Record, Result, Stopped, UnknownEstimate
from qres.runs import RunFolder, Specification, versions
from qres.solution import Solution

from ._budget import Budget
from ._stages import Stages


def solution_of(
    specification: Specification,
    objective: Objective | DiscreteObjective,
    theta: Any,
    points: Points,
    *,
    stages: Stages,
    budget: Budget,
    history: Sequence[Record],
    folder: RunFolder | None,
    stopped: Stopped,
    intervals: Intervals,
) -> Solution:
    """The solution with this vector of parameters, whose loss and errors the last record has."""
    model, problem, last = objective.model(np.asarray(theta)), objective.problem, history[-1]
    network = model.network
    result = Result(
        problem=problem.name,
        network=network.architecture.kind if isinstance(network, Network) else type(network).__name__,
        widths=network.widths if isinstance(network, Network) else (),
        parameters=count_parameters(network),
        seed=specification.seed,
        optimizer=name_stages(stages.optimizers),
        iterations=budget.total,
        seconds=round(budget.clock.seconds, 2),
        cpu_seconds=round(budget.clock.cpu_seconds, 2),
        stopped=stopped,
        loss=last.loss,
        weights=dict(objective.weights),
        errors=last.errors,
        unknowns={
            name: UnknownEstimate.compared(
                np.asarray(value).tolist(), intervals.stderr.get(name), problem.unknowns[name].true
            )
            for name, value in model.parameters(problem).items()
        },
        correlation=intervals.correlation,
        noise=intervals.noise,
        run=None if folder is None else str(folder.path),
        versions=versions(),
    )
    trained = {
        name: array
        for number, block in enumerate(objective.blocks)
        for segment, array in zip(block.segments, points[number], strict=True)
        for name in segment.names
    }
    return Solution(problem, model, result, history, objective.scheme, trained)
