"""From a specification to the model that is trained and the objective it is trained on, in either kind of time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qres._random import seed_key
from qres.networks import Architecture
from qres.objectives import DiscreteObjective, Model, Objective, discrete_model
from qres.problems import Problem

from ._specification import Specification

_APART = 1_000_000_007  # between the seeds of a run's starts


def build_model(specification: Specification, network: Any) -> Model:
    """The network that was given, or one with random weights for an Architecture or None, as a model."""
    problem = specification.problem
    key = seed_key(specification.seed)

    def build(domain: Any) -> Any:
        if network is None or isinstance(network, Architecture):
            return specification.architecture.build(domain, key=key)
        return network

    if specification.time is None:
        return Model.create(problem, build(problem))
    return discrete_model(problem, specification.time, specification.sampling, specification.seed, build)


def other_starts(specification: Specification) -> list[np.ndarray]:
    """The weights of the further networks that a run with several starts tries, as flat vectors."""
    seeds = [specification.seed + _APART * number for number in range(1, specification.starts)]
    return [build_model(replace(specification, seed=seed), None).flatten()[0] for seed in seeds]


def build_objective(
    specification: Specification, problem: Problem, model: Model
) -> Objective | DiscreteObjective:
    """The residuals of a problem, which may be the specification's with some measurements taken out."""
    sampling, weights = specification.sampling, specification.weights
    if specification.time is None:
        return Objective(problem, model, sampling, weights, robust=specification.robust)
    return DiscreteObjective(
        problem, model, sampling, weights, time=specification.time, seed=specification.seed
    )
