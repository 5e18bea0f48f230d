"""Residuals linearised in the Taylor coefficients of the network outputs: `r + Σ s du`, at each point by itself.

Where residuals are affine, slopes come from outputs that are a large constant in one coefficient and zero in all
others, in NumPy, so that nothing is compiled; a large one, since what does not depend on the outputs then is below
rounding. Elsewhere JAX differentiates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from qres.fields import recorded_fields
from qres.jets import Jet, Truncation
from qres.posed.evaluator import Outputs, Residuals, Transformed, coordinate_jets
from qres.problems import Problem

from ._affine import is_affine

_LARGE = 2.0**90
_CHUNK = 512  # points at a time, of a program that is compiled
Array = np.ndarray


@dataclass(frozen=True)
class Linearised:
    """One residual about some outputs.

    Args:
        name: of the residual.
        value: less what is measured.
        slopes: by location, in each Taylor coefficient of each output.
        unknowns: slopes in all components of the unknowns.
    """

    name: str
    value: Float[np.ndarray, " n"]
    slopes: Float[np.ndarray, "locations fields indices n"]
    unknowns: Float[np.ndarray, "unknowns n"]


class Lineariser:
    """Linearises the residuals of one problem.

    Args:
        problem: with the ansatz that leads from outputs to fields.
        residuals: to be linearised.
        in_fields: whether they are linearised in the fields themselves, without the ansatz.
    """

    def __init__(self, problem: Problem, residuals: Residuals, *, in_fields: bool = False) -> None:
        self.problem, self.residuals = problem, residuals
        self._transform = {} if in_fields else problem.transform
        source = Outputs.recorded(problem) if in_fields else recorded_fields(problem)
        self.truncation: Truncation = residuals.needed(source)
        self._groups = [Residuals(problem, group) for group in residuals.groups]
        self._affine = [is_affine(problem, group) for group in self._groups]
        self._programs: dict[int, Callable[..., Any]] = {}

    @property
    def affine(self) -> bool:
        """Whether all residuals are affine in the outputs and the unknowns."""
        return all(self._affine)

    @property
    def shape(self) -> tuple[int, int]:
        """How many outputs there are, and how many Taylor coefficients of each."""
        return len(self.problem.fields), len(self.truncation)

    def locations(self, number: int, points: Float[np.ndarray, "d n"]) -> list[Float[np.ndarray, "d n"]]:
        """The points of a group at each of its locations."""
        return self.residuals.groups[number][0].place.placed(points)

    def at(
        self,
        number: int,
        points: Float[np.ndarray, "d n"],
        raw: Float[np.ndarray, "locations fields indices n"],
        unknowns: Mapping[str, Any],
    ) -> list[Linearised]:
        """The residuals of a group about outputs with these coefficients at the points."""
        if self._affine[number]:
            found = self._by_probes(number, points, raw, unknowns)
        else:
            found = self._by_program(number, points, raw, unknowns)
        return [
            Linearised(
                one.name, value - (0.0 if one.measured is None else one.measured.target), slopes, moved
            )
            for one, (value, slopes, moved) in zip(self.residuals.groups[number], found, strict=True)
        ]

    def fields(
        self,
        points: Float[np.ndarray, "d n"],
        raw: Float[np.ndarray, "fields indices n"],
        unknowns: Mapping[str, Any],
        truncation: Truncation,
    ) -> Float[np.ndarray, "fields fewer n"]:
        """The Taylor coefficients of the fields that the ansatz makes of outputs, as far as a truncation has them."""
        with np.errstate(all="ignore"):
            jets = self._source(raw, unknowns)(
                coordinate_jets(self.problem.coordinates, self.truncation, points)
            )
        rows = [jets[name].restrict(truncation).coefficients for name in self.problem.fields]
        n = points.shape[1]
        return np.stack(
            [[np.zeros(n) if c is None else np.broadcast_to(c, (1, n))[0] for c in row] for row in rows]
        )

    def _by_probes(self, number: int, points: Array, raw: Array, unknowns: Mapping[str, Any]) -> Any:
        group, n = self._groups[number], points.shape[1]
        rest = {name: np.zeros(np.shape(value)) for name, value in unknowns.items()}

        def values(coefficients: Array, given: Mapping[str, Any]) -> Array:
            joined = np.moveaxis(coefficients, 0, 2).reshape(*self.shape, -1)
            with np.errstate(all="ignore"):
                found = group.at(self._source(joined, given), [points], given, truncation=self.truncation)
            return np.stack([np.asarray(found[one.name], dtype=float)[0] for one in group.residuals])

        zero = np.zeros_like(raw)
        still = values(zero, rest)
        slopes = np.zeros((len(still), *raw.shape))
        for place in np.ndindex(*raw.shape[:3]):
            probe = zero.copy()
            probe[place] = _LARGE
            slopes[(slice(None), *place)] = (values(probe, rest) - still) / _LARGE
        moved = np.zeros((len(still), sum(np.size(v) for v in rest.values()), n))
        for place, given in enumerate(_directions(rest)):
            moved[:, place] = (values(zero, given) - still) / _LARGE
        now = np.concatenate([np.ravel(value) for value in unknowns.values()] or [np.zeros(0)])
        value = still + np.einsum("rlfkn,lfkn->rn", slopes, raw) + np.einsum("run,u->rn", moved, now)
        return zip(value, slopes, moved, strict=True)

    def _source(self, coefficients: Any, unknowns: Mapping[str, Any]) -> Transformed:
        raw = {
            name: Jet(self.truncation, [row[None] for row in rows])
            for name, rows in zip(self.problem.fields, coefficients, strict=True)
        }
        return Transformed(self.problem, self._transform, Outputs(raw), unknowns)

    def _by_program(self, number: int, points: Array, raw: Array, unknowns: Mapping[str, Any]) -> Any:
        """In chunks of one size, so that each group has one program whatever the number of points."""
        if number not in self._programs:
            self._programs[number] = jax.jit(partial(self._program, self._groups[number]))
        n = points.shape[1]
        size = min(_CHUNK, -(-n // 64) * 64)
        found = []
        for start in range(0, n, size):
            stop = min(start + size, n)
            pad = start + size - stop
            part = np.pad(points[:, start:stop], ((0, 0), (0, pad)), mode="edge")
            own = np.pad(raw[..., start:stop], ((0, 0),) * 3 + ((0, pad),), mode="edge")
            numbers = {name: np.asarray(value, dtype=float) for name, value in unknowns.items()}
            each = self._programs[number](part, own, numbers)
            found.append([np.asarray(array)[..., : stop - start] for array in each])
        return zip(*(np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True)), strict=True)

    def _program(self, group: Residuals, points: Any, raw: Any, unknowns: Mapping[str, Any]) -> Any:
        """Values, slopes and slopes by the unknowns; each point's depend on that point only."""

        def values(coefficients: Any, given: Mapping[str, Any]) -> Any:
            joined = jnp.moveaxis(coefficients, 0, 2).reshape(*self.shape, -1)
            found = group.at(self._source(joined, given), [points], given, truncation=self.truncation)
            return jnp.stack([found[one.name][0] for one in group.residuals])

        value, pulled = jax.vjp(lambda given: values(given, unknowns), raw)
        each = jnp.eye(len(value))[:, :, None] * jnp.ones(value.shape)  # (residual, row, n)
        (slopes,) = jax.vmap(pulled)(each)
        moved = jax.jacfwd(lambda given: values(raw, given))(unknowns) if unknowns else {}
        columns = [jnp.reshape(moved[n], (*value.shape, -1)) for n in unknowns]
        return (
            value,
            slopes,
            jnp.moveaxis(jnp.concatenate([*columns, jnp.zeros((*value.shape, 0))], axis=2), 2, 1),
        )


def _directions(rest: Mapping[str, Array]) -> Sequence[dict[str, Array]]:
    """Unknowns that are zero but for one component of one, which is large."""
    found = []
    for name, value in rest.items():
        for place in range(value.size):
            moved = value.copy()
            moved.flat[place] = _LARGE
            found.append({**rest, name: moved})
    return found
