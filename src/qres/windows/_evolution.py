"""The problem of a time window: what lasts is kept, and the state at the beginning comes from the window before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from qres.ansatz import Ansatz, choose_ansatz
from qres.formulas import Expression, evaluate
from qres.jets import Recording
from qres.posed import Condition, Posed, explicit_value, near, recordings, time_axis
from qres.posed.evaluator import Residuals
from qres.problems import Problem
from qres.runtime.errors import InputError, listed

State = tuple[tuple[str, int], ...]
"""What a window begins with: fields, each with the order of a time derivative."""


@dataclass(frozen=True)
class Evolution:
    """A problem that can be solved window by window.

    Args:
        problem: with an ansatz that satisfies conditions of space only.
        axis: the coordinate that is cut.
        state: what a window needs of the one before.
        initial: by entry of the state, what the conditions say of it at the first time.
        lasting: the conditions that are not built in and hold at all times.
    """

    problem: Problem
    axis: str
    state: State
    initial: Mapping[tuple[str, int], Expression]
    lasting: tuple[Condition, ...]

    @property
    def place(self) -> int:
        """Where the coordinate that is cut stands among all."""
        return self.problem.coordinates.index(self.axis)

    def initial_state(self, points: Float[np.ndarray, "d n"]) -> Float[np.ndarray, "state n"]:
        """The state at points of the first time."""
        coordinates = dict(zip(self.problem.coordinates, points, strict=True))
        names = {**self.problem.constants, **coordinates}
        with np.errstate(all="ignore"):
            rows = [
                np.broadcast_to(_value(self.initial[entry], names), points.shape[1:]) for entry in self.state
            ]
        found = np.array(rows, dtype=float).reshape(len(self.state), points.shape[1])
        if not np.all(np.isfinite(found)):
            name, _ = self.state[int(np.flatnonzero(~np.isfinite(found).all(axis=1))[0])]
            raise InputError(f"[time] windows: the initial value of {name} is not finite somewhere")
        return found


def _value(expression: Expression, names: Mapping[str, Any]) -> np.ndarray:
    found = evaluate(expression, names)
    return np.asarray(getattr(found, "value", found), dtype=float)


def evolution(problem: Problem) -> Evolution:
    """The problem as one that windows can solve, or an error that says why they cannot."""
    axis = time_axis(problem)
    _refuse(problem, axis)
    orders = time_orders(problem, axis)
    state = tuple((name, order) for name in problem.fields for order in range(orders[name]))
    if not state:
        raise InputError(f"[time] windows: no equation of {problem.name!r} has a derivative in {axis}")
    start, lasting = problem.bounds[axis][0], []
    initial: dict[tuple[str, int], Expression] = {}
    for condition in problem.conditions:
        if axis in condition.free:
            lasting.append(condition)
            continue
        entry, value = _initial(problem, condition, axis, start)
        initial[entry] = value
    for name, order in state:
        if (name, order) not in initial:
            wanted = name + ("_" + axis * order if order else "")
            raise InputError(
                f"[time] windows: {wanted} has no value at {axis} = {start:g}; give a condition "
                f"{wanted}({', '.join(f'{start:g}' if c == axis else c for c in problem.coordinates)}) = …"
            )
    found = _spatial(problem, lasting)
    soft = tuple(c for c in lasting if c.name not in found.ansatz.satisfies)
    return Evolution(found, axis, state, initial, soft)


def _refuse(problem: Problem, axis: str) -> None:
    what = f"[time] windows: problem {problem.name!r}"
    if problem.unknowns:
        raise InputError(
            f"{what} has unknowns ({listed(problem.unknowns)}): windows are solved in turn and cannot share "
            "a number; leave windows out"
        )
    if problem.data:
        raise InputError(f"{what} has measurements, which bear on all times at once; leave windows out")
    if axis in problem.periodic:
        raise InputError(f"{what} is periodic in {axis}: no window can be the first")
    if not problem.equations:
        raise InputError(f"{what} has no equations")


def _initial(
    problem: Problem, condition: Condition, axis: str, start: float
) -> tuple[tuple[str, int], Expression]:
    low, high = problem.bounds[axis]
    found = explicit_value(condition)
    at_start = list(condition.fixed) == [axis] and near(condition.fixed[axis], start, high - low)
    if not at_start:
        raise InputError(
            f"[time] windows: the condition {condition.text!r} is neither at {axis} = {low:g} nor at all times"
        )
    place = problem.coordinates.index(axis)
    if found is None or found[0].field not in problem.fields or sum(found[0].index) != found[0].index[place]:
        raise InputError(
            f"[time] windows: the initial condition {condition.text!r} does not give the value of a field, or of its "
            f"derivative in {axis}"
        )
    return (found[0].field, found[0].index[place]), found[1]


def time_orders(posed: Posed, axis: str) -> dict[str, int]:
    """The order of the highest derivative in time of each field in the equations."""
    place, orders = posed.coordinates.index(axis), dict.fromkeys(posed.fields, 0)
    for residual in Residuals(posed, Residuals.of(posed).residuals).everywhere(*recordings(posed)):
        groups = residual.terms.values() if isinstance(residual, Recording) else ()
        for name, index in (key for group in groups for key in group):
            if name in orders:
                orders[name] = max(orders[name], index[place])
    return orders


def _spatial(problem: Problem, lasting: list[Condition]) -> Problem:
    """The problem with an ansatz for conditions of space, where it was to have one."""
    ansatz = Ansatz()
    names = {condition.name for condition in lasting}
    if problem.ansatz.transform and not problem.hard:
        if not problem.ansatz.satisfies <= names:
            raise InputError(
                "[time] windows: the transform has the initial condition built in, which holds in the first window only"
            )
        ansatz = problem.ansatz
    elif problem.hard and problem.ansatz.satisfies <= names:
        ansatz = problem.ansatz
    elif problem.hard and lasting:
        posed = Posed(**{name: getattr(problem, name) for name in Posed.__dataclass_fields__})
        try:
            ansatz = choose_ansatz(replace(posed, conditions=tuple(lasting)))
        except InputError:
            ansatz = Ansatz()
    return problem.with_ansatz(ansatz, None)
