"""Snapshots: values of all fields at one time, the initial or final data of discrete steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from qres.data import Data
from qres.fields import MOST_STEPS, TIME, Scheme, Time
from qres.geometry import Sampling, points_in
from qres.posed import time_factors
from qres.problems import Problem, initial_values, reference_of
from qres.runtime.errors import InputError, listed
from qres.runtime.random import generator_for, stream

_SAME_TIME = 1e-9  # of the domain's
_MOST_POINTS = {1: 1000, 2: 4000, 3: 8000}  # by coordinates of space; a spectral method would need no more


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Values of all fields at points of space, at one time."""

    time: float
    points: Float[np.ndarray, "d n"]
    values: Float[np.ndarray, "fields n"]


def discretize(
    problem: Problem, time: Time, sampling: Sampling, seed: int
) -> tuple[Scheme, tuple[Snapshot, ...]]:
    """The steps to make, and the snapshots that they start from: those measured, or the state known at `from`."""
    if problem.region is not None:
        raise InputError(f"[time]: discrete time is for a whole box, and {problem.name!r} has `inside`")
    if problem.integrals:
        raise InputError(f"[time]: {problem.integrals[0].text} cannot stand in a problem in discrete time")
    time_factors(problem)  # an error where the equations are of another form
    low, high = problem.bounds[TIME]
    found = _measured(problem, time)
    if len(found) > 1:
        if time.steps > 1:
            raise InputError(f"[time] steps = {time.steps}: between several snapshots, each step has its own")
        return Scheme(time.stages, tuple(each.time for each in found), inverse=True), found
    if problem.unknowns:
        raise InputError(
            f"problem {problem.name!r}: to find {listed(problem.unknowns)} in discrete time, "
            f"data at two times or more are needed, not {len(found)}"
        )
    start = found[0].time if found else low if time.start is None else float(time.start)
    stop = high if time.stop is None else float(time.stop)
    for name, value in (("from", start), ("to", stop)):
        if not low - _SAME_TIME * (high - low) <= value <= high + _SAME_TIME * (high - low):
            raise InputError(f"[time] {name} = {value:g} is outside the domain, [{low:g}, {high:g}]")
    if not start < stop:
        raise InputError(f"[time] from = {start:g} must come before to = {stop:g}")
    edges = tuple(float(edge) for edge in np.linspace(start, stop, time.steps + 1))
    return Scheme(time.stages, edges), found or (_known(problem, start, sampling, seed),)


def _measured(problem: Problem, time: Time) -> tuple[Snapshot, ...]:
    """The measurements by their times, as far as these are within what is asked for."""
    if not problem.data:
        return ()
    for data in problem.data:
        missing = [name for name in problem.fields if name not in data.columns]
        if missing:
            raise InputError(f"{data.source}: a snapshot needs all fields, and {listed(missing)} is missing")
        of_each = [f"{name} = {level!r}" for name, level in data.noise.items() if isinstance(level, str)]
        if of_each:
            raise InputError(
                f"{data.source}: noise {listed(of_each)}: in discrete time all values of a snapshot count alike"
            )
    names = (*problem.coordinates, *problem.fields)
    table = {name: np.concatenate([data.columns[name] for data in problem.data]) for name in names}
    low, high = problem.bounds[TIME]
    slack = _SAME_TIME * (high - low)
    first = -np.inf if time.start is None else time.start - slack
    last = np.inf if time.stop is None else time.stop + slack
    _, places = np.unique(np.round((table[TIME] - low) / slack), return_index=True)
    times = [float(t) for t in table[TIME][places] if first <= t <= last]
    if not times:
        raise InputError(
            f"[time]: no data between from = {time.start} and to = {time.stop}; "
            f"they are at t = {table[TIME].min():g} to {table[TIME].max():g}"
        )
    if len(times) > MOST_STEPS + 1:
        raise InputError(
            f"[time]: the data have {len(times)} different times; "
            f"discrete time needs snapshots, at most {MOST_STEPS + 1}"
        )
    if len(times) == 1 and time.start is not None and abs(times[0] - time.start) > slack:
        raise InputError(f"[time] from = {time.start:g}, but the data are at t = {times[0]:g}")
    space = [name for name in problem.coordinates if name != TIME]
    found = []
    for t in times:
        here = np.abs(table[TIME] - t) <= slack
        points = np.stack([table[name][here] for name in space])
        found.append(Snapshot(t, points, np.stack([table[name][here] for name in problem.fields])))
    return tuple(found)


def _known(problem: Problem, start: float, sampling: Sampling, seed: int) -> Snapshot:
    """The state at a time from the initial condition, the exact solution or the reference, whichever says it."""
    space = [place for place, name in enumerate(problem.coordinates) if name != TIME]
    lower = tuple(problem.lower[place] for place in space)
    upper = tuple(problem.upper[place] for place in space)
    count = min(sampling.points, _MOST_POINTS[len(space)])
    key = stream(seed, "snapshots")
    points = points_in(lower, upper, (True,) * len(space), sampling.method, count, key)
    coordinates = dict(zip([problem.coordinates[place] for place in space], points, strict=True))
    given = initial_values(problem, start, coordinates)
    if given is not None:
        return Snapshot(start, points, np.stack([given[field] for field in problem.fields]))
    if all(field in problem.exact for field in problem.fields):
        exact = problem.exact_fields({TIME: np.full(points.shape[1], start), **coordinates})
        shape = points.shape[1:]
        values = [np.broadcast_to(np.asarray(exact[f], dtype=float).ravel(), shape) for f in problem.fields]
        return Snapshot(start, points, np.stack(values))
    if problem.reference:
        return _from_reference(problem, start, count, seed)
    raise InputError(
        f"[time] from = {start:g}: the state there is not known; give an initial condition u({start:g}, …) = …, "
        "an exact solution, a reference or [problem.data]"
    )


def _from_reference(problem: Problem, start: float, count: int, seed: int) -> Snapshot:
    known = reference_of(problem)
    if isinstance(known, Data):
        raise InputError(f"[time] from = {start:g}: the reference {problem.reference} is not on a grid")
    nearest, is_there = known.nearest(TIME, start)
    if not is_there:
        has = f"t = {known.axes[TIME][nearest]:g}, not that"
        raise InputError(f"[time] from = {start:g}: the reference {problem.reference} has {has}")
    missing = [field for field in problem.fields if field not in known.fields]
    if missing:
        raise InputError(f"the reference {problem.reference} does not have {listed(missing)}")
    here = known.take(TIME, [nearest]).ordered((TIME, *(n for n in problem.coordinates if n != TIME)))
    points = here.points()[1:]
    values = np.stack([here.fields[field].ravel() for field in problem.fields])
    if count < points.shape[1]:
        rows = generator_for(seed, "snapshots").choice(points.shape[1], count, replace=False)
        points, values = points[:, rows], values[:, rows]
    return Snapshot(start, points, values)
