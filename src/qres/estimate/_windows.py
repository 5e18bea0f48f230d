"""The error of a chain of windows: all of them solved again, in features that are independent, from their own states.

What two solutions differ by at the end of a window is what the next one begins with, so that errors go on from window
to window, and grow or decay, as those of the solution do.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from qres.fields import Chain, ChainEvaluator, even_axes, only_inside, relative_error, without_mean
from qres.networks import Network
from qres.results import Estimate
from qres.runtime.blas import one_thread
from qres.windows import (
    Evolution,
    Kind,
    Span,
    chain_model,
    evolution,
    independent_kind,
    solve_window,
    weights_of,
)

from ._solved import Solved
from ._verdict import Findings, warnings_of

_MOST = 4  # iterations for a window, which begins near its solution
_POINTS = 20_000  # of the grid on which the two are compared


def windows_estimate(solution: Solved, chain: Chain) -> Estimate:
    """The error of a solution made of windows."""
    begun = time.perf_counter()
    problem = evolution(solution.problem)
    network = solution.model.network
    if not isinstance(network, Network) or len(network.layers) != 2:
        return Estimate(
            {}, verdict="not known: the windows' networks are trained, and have no linear output layer"
        )
    with one_thread():
        other = _again(solution, chain, problem, independent_kind(problem, network))
    if other is None:
        return Estimate({}, verdict="not known: a window has no solution near the one that was found")
    errors = _differences(solution, problem, *other)
    found = Findings(errors, errors, {})
    warnings = tuple(warnings_of(found))
    return Estimate(
        errors,
        verdict=found.text(len(warnings) > 0),
        warnings=warnings,
        seconds=round(time.perf_counter() - begun, 2),
        status=found.verdict,
    )


def _again(solution: Solved, chain: Chain, problem: Evolution, kind: Kind) -> tuple[Any, Chain] | None:
    """All windows in other features, each from the state at the end of the one before."""
    system = kind.system(problem, seed=0, number=1)
    state, found = system.handover.initial(), []
    for window, (start, stop) in enumerate(zip(chain.edges[:-1], chain.edges[1:], strict=True)):
        span, member = Span(start, stop - start), chain.member(solution.model, window)
        guess = system.outputs_of(member.network, weights_of(member.network), span)
        again = solve_window(system, span, state, guess, system.nothing, most=_MOST)
        if again is None or not np.isfinite(again.misfit):
            return None
        found.append(again.weights)
        state = system.handover.at_end(again.weights, stop, system.rate(span))
    return chain_model(problem.problem.fields, system.network, found, list(chain.edges))


def _differences(solution: Solved, problem: Evolution, model: Any, chain: Chain) -> dict[str, float]:
    """The relative L2 distance of each field and definition on an even grid."""
    posed = problem.problem
    side = max(5, round(_POINTS ** (1 / len(posed.coordinates))))
    axes = even_axes(posed, (side,) * len(posed.coordinates))
    axes[problem.axis] = np.linspace(chain.edges[0], chain.edges[-1], side)
    shape = tuple(len(values) for values in axes.values())
    points = np.stack([axis.ravel() for axis in np.meshgrid(*axes.values(), indexing="ij")])
    requests = tuple((name, (0,) * len(shape)) for name in solution.names)
    ours = only_inside(posed, points, solution.evaluate(points, requests))
    theirs = only_inside(posed, points, ChainEvaluator(posed, chain)(model, points, requests))
    errors = {}
    for name, own, other in zip(solution.names, ours, theirs, strict=True):
        pair = [values.reshape(shape) for values in (own, other)]
        if name in posed.up_to_constant:
            pair = [without_mean(posed.coordinates, values) for values in pair]
        errors[name] = relative_error(pair[0], pair[1])
    return errors
