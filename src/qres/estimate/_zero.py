"""Detection of fields that vanish, which have no relative error: no equation is sensitive to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from qres.posed.evaluator import Slopes

_ZERO = 1e-6  # of the terms of every residual: what is below that in all of them is negligible
_ROUNDING = 1e-6  # of the correction: what it leaves of a field that nothing else can be compared with
_NOTHING = 1e-9  # of a field's own part: what else is in a residual, when that is nothing but rounding


@dataclass(frozen=True)
class Parts:
    """What each field contributes to each residual, and what the rest is.

    `slopes` are root mean squares, `(terms, fields, indices)`, `data` what does not depend on the fields.
    """

    slopes: Float[np.ndarray, "terms fields indices"]
    data: Float[np.ndarray, " terms"]
    sizes: Float[np.ndarray, "fields indices"]

    def share(self, field: int, sizes: Float[np.ndarray, " indices"]) -> float | None:
        """The largest share that a field of these sizes has in a residual; None where it stands alone in all."""
        own = self.slopes[:, field] @ sizes
        all_fields = np.einsum("tfi,fi->tf", self.slopes, self.sizes)
        rest = all_fields.sum(axis=1) - all_fields[:, field] + self.data
        comparable = (own > 0) & (rest > _NOTHING * np.maximum(own, all_fields[:, field]))
        return (
            float(np.max(own[comparable] / (own[comparable] + rest[comparable])))
            if comparable.any()
            else None
        )


def parts_of(
    slopes: Sequence[Slopes],
    derivatives: Sequence[Sequence[np.ndarray]],
    sizes: Float[np.ndarray, "fields indices"],
) -> Parts:
    """The parts of each residual, from its slopes and the fields' derivatives at the same points."""
    strength, data = [], []
    for slope, given in zip(slopes, derivatives, strict=True):
        linear = sum(np.einsum("fin,fin->n", a, d) for a, d in zip(slope.fields, given, strict=True))
        strength.append(sum(_mean(a) for a in slope.fields))
        data.append(_mean(slope.residual - linear))
    return Parts(np.stack(strength), np.array(data), sizes)


def is_zero(corrected: float, change: float, share: float | None) -> bool:
    """Whether a field is zero but for its error: `share` is that of the corrected field in the residuals."""
    if corrected > 0.5 * change:
        return False
    return corrected <= _ROUNDING * change if share is None else share < _ZERO


def _mean(values: np.ndarray) -> np.ndarray:
    finite = np.nan_to_num(values, posinf=0.0, neginf=0.0)
    return np.sqrt(np.mean(finite**2, axis=-1))
