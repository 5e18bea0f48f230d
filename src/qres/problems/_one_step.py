"""The problem between two times, for one step of a Runge–Kutta method."""

from __future__ import annotations

from qres.posed import TIME
from qres.runtime.errors import InputError

from ._problem import Problem


def one_step(problem: Problem, start: float, stop: float) -> Problem:
    """The problem between two times, without what holds at one time only: conditions of space, at all its times."""
    left = {"exact", "reference", "up_to_constant", "conditions", "hard"}
    stated = {key: value for key, value in problem.stated.items() if key not in left and value is not None}
    lasting = {condition.entry for condition in problem.conditions if TIME in condition.free}
    kept = [text for entry, text in enumerate(problem.stated.get("conditions", [])) if entry in lasting]
    stated |= {"conditions": kept, "fields": list(problem.fields)}
    stated["domain"] = {name: list(bounds) for name, bounds in problem.bounds.items()} | {TIME: [start, stop]}
    if problem.hard and kept:
        try:
            return Problem(**stated, hard=True)
        except InputError:  # what is left cannot be built in, and is trained on
            pass
    return Problem(**stated)
