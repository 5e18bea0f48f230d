"""Any evolution equation `u_t = L u + N(u)` on a periodic box: Fourier in space, exponential in time."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Complex, Float, Inexact

from qres.runtime.errors import InputError, one_of

from .exponential import METHODS, Advance
from .fourier import Box

Field = Inexact[np.ndarray, "*grid"]
# One array, or a tuple of them when there are several fields: the user's functions know which.
Fields = Any
Derivative = Callable[..., Field]
Linear = Callable[..., Any]
Nonlinear = Callable[[Fields, Derivative], Fields]


@dataclass(frozen=True)
class Evolution:
    """Snapshots of a solution as Fourier coefficients, so that it has a value at every point.

    Attributes:
        box: where it lives.
        times: of the snapshots.
        modes: coefficients, (times, fields, …) as `Box.forward` gives them.
        real: whether the fields are real.
    """

    box: Box
    times: Float[np.ndarray, "times"]
    modes: Complex[np.ndarray, "times fields *modes"]
    real: bool

    def at(
        self, *points: Float[np.ndarray, "_"], order: Sequence[int] = ()
    ) -> Inexact[np.ndarray, "times fields *points"]:
        """Values on the grid that `points` span, one array a coordinate, by trigonometric interpolation.

        Args:
            points: coordinates; their product is the grid.
            order: of the derivative along each coordinate, if one is wanted: `(1,)` is u_x, `(0, 2)` is u_yy.
        """
        return self.box.interpolate(self.modes, points, tuple(order), self.real)

    def values(self) -> Inexact[np.ndarray, "times fields *grid"]:
        """Values on the box's own grid."""
        return self.box.backward(self.modes, self.real)


def _stacked(
    what: str, fields: Fields, shape: tuple[int, ...], count: int | None = None
) -> Inexact[np.ndarray, "fields *shape"]:
    """Fields as one array; numbers are constant fields. An error names `what` gave something else."""
    if isinstance(fields, np.ndarray) and fields.shape == shape and count in (1, None):
        return fields[None]
    parts = fields if isinstance(fields, tuple) else (fields,)
    for part in parts:
        if np.shape(part) not in ((), shape):
            raise InputError(f"{what} must give arrays of shape {shape}, but one has {np.shape(part)}")
    if count not in (len(parts), None):
        raise InputError(f"{what} must give {count} fields, not {len(parts)}")
    return np.stack([np.broadcast_to(part, shape) for part in parts])


def _initial_modes(
    box: Box, initial: Callable[..., Fields], oversample: int
) -> tuple[np.ndarray, bool, bool]:
    """Coefficients of the initial fields; whether they are real; whether they are a tuple."""
    fine = Box(box.lower, box.upper, tuple(n * oversample for n in box.modes))
    fields = initial(*fine.mesh())
    values = _stacked("initial", fields, fine.modes)
    real = not np.iscomplexobj(values)
    return box.truncate(fine.forward(values, real), real), real, isinstance(fields, tuple)


def _right_hand_side(
    box: Box, nonlinear: Nonlinear, real: bool, several: bool
) -> Callable[[np.ndarray], np.ndarray]:
    """N, from coefficients to coefficients."""

    def apply(modes: np.ndarray) -> np.ndarray:
        fields = tuple(box.backward(modes, real))

        def derivative(field: Field, *order: int) -> Field:
            # The coefficients of the fields themselves are at hand; only of products must they be computed.
            known = (part for part, mine in zip(modes, fields, strict=True) if field is mine)
            part = next(known, None)
            part = box.forward(field, real) if part is None else part
            return box.backward(box.symbol(order, real) * part, real)

        result = nonlinear(fields if several else fields[0], derivative)
        return box.forward(_stacked("nonlinear", result, box.modes, len(fields)), real)

    return apply


def _march(
    modes: Complex[np.ndarray, "fields *modes"],
    symbols: Complex[np.ndarray, "fields *modes"],
    evaluate: Callable[[np.ndarray], np.ndarray],
    times: Float[np.ndarray, "times"],
    step_size: float,
    prepare: Callable[[np.ndarray, float], Advance],
) -> Complex[np.ndarray, "times fields *modes"]:
    """Coefficients at all times, from those at the first."""
    history = np.empty((len(times), *modes.shape), complex)
    history[0] = modes
    advance, length = None, 0.0
    for index, interval in enumerate(np.diff(times)):
        count = math.ceil(interval / step_size * (1 - 1e-12))
        # Equal intervals differ by rounding; their coefficients need not be computed again.
        if advance is None or abs(length * count / interval - 1) > 1e-12:
            length = interval / count
            advance = prepare(symbols, length)
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            for _ in range(count):
                modes = advance(modes, evaluate)
        if not np.isfinite(modes).all():
            where = f"t = {times[index + 1]:g}"
            raise FloatingPointError(f"the solution is not finite at {where}: try a smaller step_size")
        history[index + 1] = modes
    return history


def solve(
    box: Box,
    linear: Linear,
    nonlinear: Nonlinear,
    initial: Callable[..., Fields],
    times: Float[np.ndarray, "times"],
    step_size: float,
    oversample: int = 1,
    method: str = "etdrk4",
) -> Evolution:
    """Solve `u_t = L u + N(u)` on a periodic box, for one field or several, real or complex.

    Korteweg–de Vries, `u_t + u u_x + c u_xxx = 0` from a cosine, is
    `solve(box, lambda k: 1j*c*k**3, lambda u, d: -u*d(u, 1), lambda x: np.cos(np.pi*x), times, 1e-4)`.

    Args:
        box: bounds, and modes along each coordinate.
        linear: L as a function of the wavenumbers, `∂/∂x = i k`: of `k`, or of `kx, ky`; a tuple for several
            fields. What couples fields belongs into N.
        nonlinear: N as a function of the field (of the tuple of fields) and of the derivative `d`: `d(u, 1)`
            is u_x, and in two dimensions `d(u, 0, 2)` is u_yy.
        initial: of the coordinates' arrays; complex data make a complex field, a tuple makes several.
        times: of the snapshots, ascending; the first is the initial time.
        step_size: the longest step allowed; steps are shortened to meet the snapshots.
        oversample: factor of a finer grid on which the initial data's coefficients are computed. With 1 the
            initial data are interpolated; with more they are projected, which is better when they have kinks.
        method: `etdrk4`, or `lawson4` for dispersion of rough data.

    Source: Kassam, Trefethen, SIAM J. Sci. Comput. 26 (2005), 1214.
    """
    times = np.asarray(times, float)
    if times.ndim != 1 or len(times) == 0 or np.any(np.diff(times) <= 0):
        raise InputError(f"times must be a list that ascends, not {times!r}")
    if not step_size > 0:
        raise InputError(f"step_size must be positive, not {step_size!r}")
    modes, real, several = _initial_modes(box, initial, oversample)
    symbols = box.average(lambda *k: _stacked("linear", linear(*k), modes.shape[1:], len(modes)), real)
    evaluate = _right_hand_side(box, nonlinear, real, several)
    prepare = METHODS[one_of(method, METHODS, "method")]
    return Evolution(box, times, _march(modes, symbols, evaluate, times, step_size, prepare), real)
