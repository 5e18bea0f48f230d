"""The least-squares system of a problem: rows at points, columns for features, biases and unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import jax
import numpy as np
from jaxtyping import Float

from qres.fields import Model
from qres.problems import Problem
from qres.runtime.errors import InputError

from ._columns import feature_columns, outputs_at
from ._dense import solve_dense
from ._features import output_of, with_output
from ._linearised import Linearised, Lineariser
from ._points import Arrays

_CONDITION = 10.0  # the weight of a condition's rows against an equation's, each in units of its columns
_AT_LEAST = 0.01  # of a field's scale: what its values are compared with at least
_TINY = np.finfo(float).tiny


class System:
    """Rows and columns of one problem.

    Args:
        problem: with its ansatz.
        lineariser: of its residuals.
    """

    def __init__(self, problem: Problem, lineariser: Lineariser) -> None:
        self.problem, self.lineariser = problem, lineariser
        self._kinds = {one.name: one for one in lineariser.residuals.residuals}

    def outputs(
        self, model: Model, points: Float[np.ndarray, "d n"]
    ) -> Float[np.ndarray, "fields indices n"]:
        """The Taylor coefficients of a model's scaled outputs."""
        weights, bias = output_of(model.network)
        found = outputs_at(model.network, weights, self.lineariser.truncation, points)
        found[:, 0] += bias[:, None]
        for row, (offset, scale) in zip(found, model.scales, strict=True):
            row *= scale
            row[0] += offset
        return found

    def coefficients(self, model: Model, points: Arrays) -> Arrays:
        """The same for the points of each group, at each of its locations."""
        return [
            np.stack([self.outputs(model, there) for there in self.lineariser.locations(number, x)])
            for number, x in enumerate(points)
        ]

    def linearised(self, model: Model, points: Arrays, raw: Arrays) -> list[list[Linearised]]:
        """All residuals about outputs with these coefficients, by group."""
        return [
            self.lineariser.at(number, x, own, self._unknowns(model))
            for number, (x, own) in enumerate(zip(points, raw, strict=True))
        ]

    def _unknowns(self, model: Model) -> dict[str, np.ndarray]:
        return {n: np.asarray(v, dtype=float) for n, v in model.parameters(self.problem).items()}

    def solved(self, model: Model, points: Arrays, about: Model | None = None) -> Model | None:
        """The model whose output layer and unknowns solve the linearised problem by least squares.

        Args:
            model: whose features are the columns.
            points: of the rows.
            about: the solution about which the problem is linearised; by default one at rest.

        Returns:
            the model; None where an unknown leaves its bounds, or nothing finite is found.
        """
        raw = self.coefficients(about or model, points)
        groups = self.linearised(about or model, points, raw)
        # Rows that weigh most come first, as QR without pivoting of rows wants them.
        order = sorted(range(len(groups)), key=lambda g: self._kinds[groups[g][0].name].kind == "equation")
        total = sum(len(groups[g]) * points[g].shape[1] for g in order)
        At, right = np.zeros((self._count(model), total)), np.zeros(total)
        start = 0
        for g in order:
            stop = start + len(groups[g]) * points[g].shape[1]
            self._fill(At[:, start:stop], right[start:stop], model, g, points[g], raw[g], groups[g])
            start = stop
        if not np.all(np.isfinite(right)):
            return None
        return self._with(model, solve_dense(At, right))

    def _count(self, model: Model) -> int:
        unknowns = sum(np.size(value) for value in model.unknowns.values())
        return len(model.scales) * (model.network.architecture.width + 1) + unknowns

    def _fill(
        self,
        At: Float[np.ndarray, "columns rows"],
        right: Float[np.ndarray, " rows"],
        model: Model,
        number: int,
        points: Float[np.ndarray, "d n"],
        raw: Float[np.ndarray, "locations fields indices n"],
        group: Sequence[Linearised],
    ) -> None:
        """The weighted rows of one group: a column for each feature and bias of each output, and for each unknown."""
        offsets, scales = np.array(model.scales).T
        width, fields, n = model.network.architecture.width, len(scales), points.shape[1]
        rows = [slice(place * n, (place + 1) * n) for place in range(len(group))]
        out = [At[f * width : (f + 1) * width, row] for row in rows for f in range(fields)]
        for place, there in enumerate(self.lineariser.locations(number, points)):
            slopes = np.stack([one.slopes[place] * scales[:, None, None] for one in group])
            flat = slopes.reshape(-1, *slopes.shape[2:])
            feature_columns(model.network, self.lineariser.truncation, there, flat, out)
            for row, own in zip(rows, slopes, strict=True):
                At[fields * width : fields * (width + 1), row] += own[:, 0]
        unknowns = np.concatenate([np.zeros(0), *map(np.ravel, self._unknowns(model).values())])
        for row, one in zip(rows, group, strict=True):
            At[fields * (width + 1) :, row] = one.unknowns
            # All that the outputs about which it is linearised add, but for the offsets, is to be found anew.
            terms = np.einsum("lfkn,lfkn->n", one.slopes, raw) - np.einsum(
                "lfn,f->n", one.slopes[:, :, 0], offsets
            )
            right[row] = terms + unknowns @ one.unknowns - one.value
            sound = np.isfinite(right[row]) & np.all(np.isfinite(At[:, row]), axis=0)
            weight = np.where(sound, self._weight(one) / _size(At[:, row]) / np.sqrt(n), 0.0)
            At[:, row] = np.where(sound, At[:, row] * weight, 0.0)
            right[row] = np.where(sound, right[row] * weight, 0.0)

    def _weight(self, one: Linearised) -> float:
        return 1.0 if self._kinds[one.name].kind == "equation" else _CONDITION

    def _with(self, model: Model, vector: Float[np.ndarray, " columns"]) -> Model | None:
        width, fields = model.network.architecture.width, len(model.scales)
        weights, bias, rest = np.split(vector, [fields * width, fields * (width + 1)])
        if not np.all(np.isfinite(vector)):
            return None
        network = with_output(model.network, weights.reshape(fields, width), bias)
        unknowns: dict[str, Any] = {}
        units = dict(zip(self.problem.unknowns, model.units, strict=False))
        for name, unknown in self.problem.unknowns.items():
            own, rest = np.split(rest, [np.size(unknown.start)])
            try:
                moved = replace(unknown, start=own.tolist() if np.ndim(unknown.start) else float(own[0]))
            except InputError:  # beyond its bounds
                return None
            unknowns[name] = jax.device_put(moved.raw() / units.get(name, 1.0))
        return replace(model, network=network, unknowns=unknowns)

    def residuals(self, model: Model, points: Arrays) -> dict[str, tuple[float, float]]:
        """The root mean square of each residual, and that of the terms that it has where the solution is typical."""
        unknowns = self._unknowns(model)
        raw = self.coefficients(model, points)
        if self.problem.transform:
            raw = [
                np.stack([
                    self.lineariser.fields(there, own, unknowns, self._plain.truncation)
                    for there, own in zip(self.lineariser.locations(number, x), each, strict=True)
                ])
                for number, (x, each) in enumerate(zip(points, raw, strict=True))
            ]  # fmt: skip
        # Of u = 0 on a face the terms are as large as u is elsewhere; a field that is zero has the size of its scale.
        typical = np.sqrt(np.max([np.mean(one[0] ** 2, axis=-1) for one in raw], axis=0))
        least = _AT_LEAST * np.array([scale for _, scale in model.scales])
        typical[:, 0] = np.maximum(typical[:, 0], least)
        found = {}
        for number, (x, own) in enumerate(zip(points, raw, strict=True)):
            for one in self._plain.at(number, x, own, unknowns):
                terms = np.sum(np.abs(one.slopes) * typical[..., None], axis=(0, 1, 2))
                given = one.value - np.sum(one.slopes * own, axis=(0, 1, 2))
                size = _rms(terms) + _rms(given)
                found[one.name] = _rms(one.value), max(size, _TINY)
        return found

    @cached_property
    def _plain(self) -> Lineariser:
        """In the fields themselves: of an ansatz `g + D N` the parts may be far larger than what they sum up to."""
        own = self.lineariser
        if not self.problem.transform:
            return own
        return Lineariser(self.problem, own.residuals, in_fields=True)


def _size(columns: Float[np.ndarray, "columns n"]) -> float:
    """The size of a residual's rows: the root mean square over points of their lengths."""
    lengths = np.einsum("ij,ij->j", columns, columns)
    sound = lengths[np.isfinite(lengths)]
    return float(np.sqrt(np.mean(sound))) if sound.size and np.any(sound > 0) else 1.0


def _rms(values: Float[np.ndarray, " n"]) -> float:
    sound = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(sound**2))) if sound.size else 0.0
