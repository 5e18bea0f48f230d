"""A reference for a user's own evolution equation: Fourier in space, exponential in time, refined to convergence."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from qres import reference
from qres.data import Data
from qres.formulas import modulus_name, names_through, part_names
from qres.jets import MultiIndex
from qres.posed import TIME, needed_derivatives, time_factors
from qres.posed.evaluator import Residuals, Tabulated
from qres.reference import Gridded
from qres.reference.cache import cached
from qres.runtime.errors import InputError, NotConverged, listed

from ._initial import initial_values
from ._own_reference import SPECTRAL, ReferenceFile
from ._problem import Problem

_TOLERANCE, _WORST = 1e-9, 1e-3
_FIRST, _STEPS, _LEVELS = {1: 64, 2: 32, 3: 16}, 250, {1: 6, 2: 4, 3: 3}  # modes by dimension of space
_TIMES, _POINTS = 101, {1: 128, 2: 48, 3: 16}
_DIVERGED: dict[str, str] = {}  # by statement, why there is none
Rate = Callable[[Array], Array]  # of all derivatives `(fields, indices, …)`


def reference_of(problem: Problem) -> Gridded | Data:
    """The reference that a problem names; `"spectral"` is computed from its own equations, and kept.

    That of a file which has no grid is values at points.
    """
    if isinstance(problem.reference, ReferenceFile):
        return problem.reference.known(problem)
    if problem.reference != SPECTRAL:
        return _with_parts(_within(reference.gridded(str(problem.reference)), problem), problem)
    if not problem.is_text:
        return spectral_reference(problem)
    stated = {key: value for key, value in problem.to_dict().items() if key not in ("name", "hard")}
    return cached(SPECTRAL, stated, lambda: _once(json.dumps(stated, sort_keys=True), problem))


def _once(key: str, problem: Problem) -> Gridded:
    """The spectral reference; one that did not converge takes no second minute of the same process."""
    if key in _DIVERGED:
        raise NotConverged(_DIVERGED[key])
    try:
        return spectral_reference(problem)
    except NotConverged as error:
        _DIVERGED[key] = str(error)
        raise


def _with_parts(known: Gridded, problem: Problem) -> Gridded:
    """A reference whose complex values the problem asks for under the names of their parts."""
    stored = reference.COMPLEX.get(str(problem.reference), {})
    fields = dict(known.fields)
    for name in problem.complex:
        if name in stored:
            real, imaginary = (known.fields[part] for part in stored[name])
            fields |= dict(zip(part_names(name), (real, imaginary), strict=True))
            fields[modulus_name(name)] = np.hypot(real, imaginary)
    return replace(known, fields=fields)


def _within(known: Gridded, problem: Problem) -> Gridded:
    """A reference where the problem is asked, which may be a part of it."""
    for axis, (low, high) in problem.bounds.items():
        slack = 1e-9 * (high - low)
        inside = np.flatnonzero((known.axes[axis] >= low - slack) & (known.axes[axis] <= high + slack))
        if not len(inside):
            raise InputError(f"reference {problem.reference!r} has no {axis} in [{low:g}, {high:g}]")
        if len(inside) < len(known.axes[axis]):
            known = known.take(axis, inside.tolist())
    return known


def spectral_reference(problem: Problem) -> Gridded:
    """The solution of an evolution equation on a periodic box, with the error that remains.

    The equation's part that is linear with constant coefficients is taken from its derivatives at u = 0; the rest is
    evaluated on the grid. Modes and steps are doubled until the answer no longer changes.
    """
    _check(problem)
    space = [name for name in problem.coordinates if name != TIME]
    d = len(space)
    times = np.linspace(*problem.bounds[TIME], _TIMES)
    axes = [np.linspace(*problem.bounds[name], _POINTS[d], endpoint=False) for name in space]
    found, error, modes, steps = None, np.inf, _FIRST[d], _STEPS
    for level in range(_LEVELS[d]):
        modes, steps = _FIRST[d] * 2**level, _STEPS * 2**level
        try:
            values = _solve(problem, space, times, modes, steps).at(*axes)
        except FloatingPointError:  # too long a step; the next one is shorter
            continue
        if found is not None:
            error = float(np.linalg.norm(values - found) / max(np.linalg.norm(values), 1e-300))
        found = values
        if error < _TOLERANCE:
            break
    if found is None or not error < _WORST:
        raise NotConverged(
            f"problem {problem.name!r}: the spectral method does not converge: with {modes} modes in each direction "
            f"the solution still changes by {error:.1g}; leave reference out, or give a file"
        )
    return _with_definitions(
        problem, {TIME: times, **dict(zip(space, axes, strict=True))}, found, (modes, steps, error)
    )


def _with_definitions(
    problem: Problem, axes: dict[str, np.ndarray], values: np.ndarray, how: tuple[int, int, float]
) -> Gridded:
    fields = {name: values[:, k] for k, name in enumerate(problem.fields)}
    attributes = {
        "equation": ", ".join(equation.text for equation in problem.equations),
        "method": "Fourier, etdrk4",
        "modes": how[0],
        "step": float(axes[TIME][-1] - axes[TIME][0]) / how[1],
        "error": how[2],
        "error_meaning": "relative L2 distance, all times, to half the modes and twice the step: a bound",
    }
    mesh = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
    known = problem.known(mesh, {}) | fields
    for name, formula in problem.definitions.items():
        if formula.is_text and not formula.derivatives and known.keys() >= set(formula.names):
            known[name] = np.asarray(formula(known))
            fields[name] = np.broadcast_to(known[name], values[:, 0].shape)
    return Gridded(axes, fields, attributes).ordered(problem.coordinates)


def _check(problem: Problem) -> None:
    where = f"problem {problem.name!r}: a spectral reference"
    free = [name for name in problem.coordinates if name not in (TIME, *problem.periodic)]
    if free:
        raise InputError(f"{where} needs periodic coordinates of space, and {listed(free)} is not")
    without = [name for name, unknown in problem.unknowns.items() if unknown.true is None]
    if without:
        raise InputError(f"{where} needs the true value of {listed(without)}")
    if any(TIME in names_through(problem.definitions, equation.formula) for equation in problem.equations):
        raise InputError(f"{where} needs equations in which t does not stand by itself")
    if problem.integrals:
        raise InputError(f"{where} knows no integrals, such as {problem.integrals[0].text}")
    time_factors(problem)


def _solve(
    problem: Problem, space: list[str], times: Float[np.ndarray, " t"], modes: int, steps: int
) -> reference.spectral.Evolution:
    lower = tuple(problem.bounds[name][0] for name in space)
    upper = tuple(problem.bounds[name][1] for name in space)
    box = reference.Box(lower, upper, (modes,) * len(space))
    place = problem.coordinates.index(TIME)
    needed = [index for index in needed_derivatives(problem).indices if not index[place]]
    orders = [index[:place] + index[place + 1 :] for index in needed]
    rate = jax.jit(_rate(problem, needed, dict(zip(space, box.mesh(), strict=True))))
    linear = _linear_part(problem, needed)

    def initial(*mesh: np.ndarray) -> tuple[np.ndarray, ...]:
        true = {name: unknown.true for name, unknown in problem.unknowns.items()}
        found = initial_values(problem, problem.bounds[TIME][0], dict(zip(space, mesh, strict=True)), true)
        if found is None:
            raise InputError(f"problem {problem.name!r}: a spectral reference needs initial conditions")
        return tuple(np.array(found[name]) for name in problem.fields)

    def symbols(*k: np.ndarray) -> tuple[np.ndarray, ...]:
        powers = [np.prod([(1j * a) ** m for a, m in zip(k, order, strict=True)], axis=0) for order in orders]
        return tuple(np.tensordot(linear, np.stack(powers), 1))

    def nonlinear(fields: tuple[np.ndarray, ...], derivative: Any) -> tuple[np.ndarray, ...]:
        table = np.stack([[derivative(f, *order) if any(order) else f for order in orders] for f in fields])
        rates = np.asarray(rate(jnp.asarray(table)))
        return tuple(r - np.tensordot(c, t, 1) for r, c, t in zip(rates, linear, table, strict=True))

    step = (times[-1] - times[0]) / steps
    return reference.spectral.solve(box, symbols, nonlinear, initial, times, step)


def _rate(problem: Problem, needed: list[MultiIndex], mesh: dict[str, np.ndarray]) -> Rate:
    """`N[u]` on a grid, from all derivatives that the equations take."""
    truncation, inverse = needed_derivatives(problem), np.linalg.inv(time_factors(problem))
    true = {name: unknown.true for name, unknown in problem.unknowns.items()}
    shape = next(iter(mesh.values())).shape
    start = np.full(shape, problem.bounds[TIME][0])
    points = jnp.stack([jnp.asarray(mesh.get(name, start)).ravel() for name in problem.coordinates])
    equations = Residuals.of(problem)

    def rate(table: Array) -> Array:
        source = Tabulated(problem.fields, needed, table.reshape(*table.shape[:2], -1))
        found = equations.at(source, [points], true, truncation=truncation)
        residuals = jnp.concatenate([found[equation.name] for equation in problem.equations])
        return -jnp.tensordot(jnp.asarray(inverse), residuals.reshape(-1, *shape), 1)

    return rate


def _linear_part(problem: Problem, needed: list[MultiIndex]) -> Float[np.ndarray, "fields indices"]:
    """The slope of each field's rate by its own derivatives where all fields are zero; 0 where it is not finite."""
    mesh = {name: np.array([low]) for name, (low, _) in problem.bounds.items() if name != TIME}
    zero = jnp.zeros((len(problem.fields), len(needed), 1))
    slopes = np.asarray(jax.jacfwd(_rate(problem, needed, mesh))(zero))[:, 0, :, :, 0]
    own = np.stack([slopes[k, k] for k in range(len(problem.fields))])
    return np.where(np.isfinite(own), own, 0.0)
