"""From a specification to its model and objective, in continuous or discrete time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qres.fields import Model
from qres.inference import hold_out
from qres.loss import DiscreteObjective, Objective, discrete_model, discretize
from qres.networks import (
    Frequencies,
    Network,
    Series,
    checked,
    initialized,
    is_factory,
    measured_frequencies,
)
from qres.posed.evaluator import Term
from qres.problems import Problem
from qres.residuals import create_model
from qres.runs import Specification, Start
from qres.runtime.errors import InputError
from qres.runtime.random import stream

from ._memory_guard import check_size

_SHOWN = 0.1  # waves in half the domain, below which a coordinate is not said to have any


def build_model(specification: Specification, network: Any, start: Start | None = None) -> Model:
    """The network that was given, or one with random weights where there is none, as a model.

    Args:
        specification: of the run.
        network: a network, a function of `key` that creates one, or None.
        start: what was decided when the run began; None where it begins now.
    """
    check_size(specification)
    if network is None or is_factory(network):
        return _models(specification, network, [0], start)[0]
    return _model(specification, lambda domain: checked(network, domain), start)


def other_starts(specification: Specification, network: Any, start: Start | None) -> list[np.ndarray]:
    """The weights of the further networks that a run with several starts tries, as flat vectors."""
    numbers = range(1, specification.starts)
    if not numbers:
        return []
    if network is not None and not is_factory(network):
        raise InputError(
            f"starts = {specification.starts}: a network that has its weights is one start; give a function of key"
        )
    return [model.flatten()[0] for model in _models(specification, network, numbers, start)]


def _models(
    specification: Specification, factory: Any, numbers: Sequence[int], start: Start | None
) -> list[Model]:
    """Models that differ in the weights they begin with: those of the starts with these numbers."""
    architecture = specification.architecture
    frequencies = None
    if factory is None:
        frequencies = _frequencies(specification) if start is None else start.frequencies

    def build(number: int) -> Any:
        key = stream(specification.seed, "weights", number)
        if factory is not None:
            return lambda domain: checked(initialized(factory, key), domain)
        return lambda domain: architecture.build(domain, key=key, frequencies=frequencies)

    return [_model(specification, build(number), start) for number in numbers]


def _model(specification: Specification, build: Any, start: Start | None) -> Model:
    """A model around the network that `build` gives for a domain."""
    problem, time = specification.problem, specification.time
    if start is not None:
        domain = problem
        if time is not None:
            scheme, _ = discretize(problem, time, specification.sampling, specification.seed)
            domain = scheme.domain(problem)
        return Model.create(problem, build(domain), start.scales, start.units)
    if time is None:
        return create_model(problem, build(problem))
    return discrete_model(problem, time, specification.sampling, specification.seed, build)


def _frequencies(specification: Specification) -> Frequencies | None:
    """Those of the waves that the measurements show, of which none are held out; None where they are random."""
    architecture, problem = specification.architecture, specification.problem
    if not architecture.fourier_features or architecture.fourier_from != "data":
        return None
    if specification.time is not None or not problem.data:
        lack = "has no measurements" if not problem.data else "has discrete time: measurements are snapshots"
        raise InputError(f"fourier_from = 'data': problem {problem.name!r} {lack}")
    fitted, _ = hold_out(problem, specification.holdout, specification.seed)
    lower, upper = (np.array(ends)[:, None] for ends in (problem.lower, problem.upper))
    series = [
        Series(2 * (data.points(problem.coordinates) - lower) / (upper - lower) - 1, values)
        for data in fitted.data
        for values in data.values(data.measured((*problem.fields, *problem.definitions)))
    ]
    return measured_frequencies(series, architecture.fourier_features, architecture.is_wave(problem))


def describe_waves(specification: Specification, model: Model) -> list[str]:
    """A line about the strongest wave in the measurements, where they gave the network its Fourier features."""
    ours = isinstance(model.network, Network) and specification.architecture.fourier_from == "data"
    if not ours or not model.network.embedding.frequencies:
        return []
    problem, strongest = specification.problem, model.network.embedding.frequencies[0]
    lengths = [
        f"{(high - low) / 2 / abs(wave):.3g} along {name}"
        for name, (low, high), wave in zip(
            problem.coordinates, problem.bounds.values(), strongest, strict=True
        )
        if abs(wave) > _SHOWN
    ]
    return [f"the strongest wave in the measurements has length {', '.join(lengths)}"] if lengths else []


def build_objective(
    specification: Specification, problem: Problem, model: Model, terms: Mapping[str, Term] | None = None
) -> Objective | DiscreteObjective:
    """The residuals of a problem, which may be the specification's with some measurements taken out."""
    sampling, weights = specification.sampling, specification.weights
    if specification.time is None:
        return Objective(problem, model, sampling, weights, robust=specification.robust, terms=terms)
    if specification.robust:
        raise InputError("robust = true is for continuous time; with [time], leave it out")
    return DiscreteObjective(
        problem, model, sampling, weights, time=specification.time, seed=specification.seed
    )
