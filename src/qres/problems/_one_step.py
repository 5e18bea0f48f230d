"""The problem of one Runge–Kutta step between two times."""

from __future__ import annotations

import contextlib

from qres.posed import TIME
from qres.runtime.errors import InputError

from ._problem import Problem
from ._reading import STEP, Saved


def one_step(problem: Problem, start: float, stop: float) -> Problem:
    """The problem between two times, without what holds at one time only: conditions of space, at all its times."""
    left = {"exact", "reference", "up_to_constant", "conditions", "hard"}
    stated = {key: value for key, value in problem.stated.items() if key not in left and value is not None}
    lasting = {condition.entry for condition in problem.conditions if TIME in condition.free}
    kept = [text for entry, text in enumerate(problem.stated.get("conditions", [])) if entry in lasting]
    stated |= {"conditions": kept, "fields": stated.get("fields", list(problem.fields))}
    stated["domain"] = {name: list(bounds) for name, bounds in problem.bounds.items()} | {TIME: [start, stop]}
    if problem.step_ansatz is not None:
        return Problem.from_dict(stated, saved=(problem.step_ansatz, {}))
    if problem.hard and kept:
        with contextlib.suppress(InputError):  # what is left cannot be built in, and is trained on
            return Problem(**stated, hard=True)
    return Problem(**stated)


def ansatz_state(problem: Problem, *, discrete: bool) -> Saved:
    """The ansatz of a problem as data to be saved, with that of a step where time is discrete.

    That of a step has no arrays: backgrounds come from initial data, which a step has none of.
    """
    state, arrays = problem.ansatz.to_state()
    if discrete:
        state[STEP] = one_step(problem, *problem.bounds[TIME]).ansatz.to_state()[0]
    return state, arrays
