"""A periodic box: its grid, its wavenumbers, transforms, derivatives, and interpolation."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from jaxtyping import Complex, Float, Inexact

from qres.runtime.errors import InputError


@dataclass(frozen=True)
class Box:
    """A periodic box: for each coordinate a lower bound, an upper bound and an even number of modes."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    modes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.lower) == len(self.upper) == len(self.modes) > 0:
            raise InputError(
                f"lower, upper and modes must be of one length: {self.lower}, {self.upper}, {self.modes}"
            )
        if any(low >= high for low, high in zip(self.lower, self.upper, strict=True)):
            raise InputError(f"upper must be above lower: {self.lower}, {self.upper}")
        if any(n < 2 or n % 2 for n in self.modes):
            raise InputError(f"modes must be even and positive, not {self.modes}")

    @property
    def axes(self) -> tuple[int, ...]:
        """The coordinates' axes in an array, counted from its end."""
        return tuple(range(-len(self.modes), 0))

    def points(self) -> tuple[Float[np.ndarray, "_"], ...]:
        """The grid's coordinates, the upper bound excluded."""
        bounds = zip(self.lower, self.upper, self.modes, strict=True)
        return tuple(low + (high - low) * np.arange(n) / n for low, high, n in bounds)

    def mesh(self) -> tuple[Float[np.ndarray, "*grid"], ...]:
        """The coordinates as arrays over the whole grid."""
        return tuple(np.meshgrid(*self.points(), indexing="ij"))

    def wavenumbers(self, real: bool) -> tuple[Float[np.ndarray, "_"], ...]:
        """Wavenumbers along each coordinate; a real field needs only half of those of the last."""
        result = []
        for axis, (low, high, n) in enumerate(zip(self.lower, self.upper, self.modes, strict=True)):
            half = real and axis == len(self.modes) - 1
            numbers = np.arange(n // 2 + 1) if half else np.fft.fftfreq(n, 1 / n)
            result.append(2 * np.pi / (high - low) * numbers)
        return tuple(result)

    def forward(self, values: Inexact[np.ndarray, "*grid"], real: bool) -> Complex[np.ndarray, "*modes"]:
        """Coefficients of values on the grid, the mean first; leading axes are kept."""
        modes = (np.fft.rfft if real else np.fft.fft)(values, norm="forward")
        for axis in self.axes[:-1]:
            modes = np.fft.fft(modes, axis=axis, norm="forward")
        return modes

    def backward(self, modes: Complex[np.ndarray, "*modes"], real: bool) -> Inexact[np.ndarray, "*grid"]:
        """Values on the grid from coefficients."""
        for axis in self.axes[:-1]:
            modes = np.fft.ifft(modes, axis=axis, norm="forward")
        return (np.fft.irfft if real else np.fft.ifft)(modes, self.modes[-1], norm="forward")

    def truncate(self, modes: Complex[np.ndarray, "*fine"], real: bool) -> Complex[np.ndarray, "*modes"]:
        """The coefficients that this box keeps of those of a finer grid over it."""
        for axis, n in zip(self.axes, self.modes, strict=True):
            half = real and axis == -1
            keep = np.arange(n // 2 + 1) if half else np.fft.fftfreq(n, 1 / n).astype(int)
            if modes.shape[axis] > len(keep):
                modes = np.take(modes, keep, axis=axis)
                middle = (..., n // 2) + (slice(None),) * (-1 - axis)
                modes[middle] = 0  # the highest mode stands for two, of which a finer grid tells only one
        return modes

    def average(
        self, function: Callable[..., Inexact[np.ndarray, "*_"]], real: bool
    ) -> Complex[np.ndarray, "*_"]:
        """A function of the wavenumbers, where the highest mode stands for both signs: their mean.

        For `i k` that is 0, as the derivative of a real field must be real; for `k²` it changes nothing.
        """
        signs = list(product((1, -1), repeat=len(self.modes)))
        total = np.zeros((), complex)
        for choice in signs:
            numbers = [k.copy() for k in self.wavenumbers(real)]
            for k, sign, n in zip(numbers, choice, self.modes, strict=True):
                k[n // 2] *= sign
            total = total + function(*np.meshgrid(*numbers, indexing="ij"))
        return total / len(signs)

    def symbol(self, order: tuple[int, ...], real: bool) -> Complex[np.ndarray, "*modes"]:
        """`Π (i k)^order`, the derivative's factor on coefficients."""
        return _symbol(self, order, real)

    def interpolate(
        self,
        modes: Complex[np.ndarray, "*modes"],
        points: tuple[Float[np.ndarray, "_"], ...],
        order: tuple[int, ...],
        real: bool,
    ) -> Inexact[np.ndarray, "*points"]:
        """Values, or derivatives, of the trigonometric interpolant on the grid that `points` span.

        Args:
            modes: coefficients; leading axes are kept.
            points: coordinates along each axis.
            order: of the derivative along each axis; empty for values.
            real: whether the field is real.
        """
        orders = _checked(self, order or (0,) * len(self.modes))
        if len(points) != len(self.modes):
            raise InputError(f"{len(self.modes)} coordinates are needed, not {len(points)}")
        values = modes
        for axis, (k, x, low, m, n) in enumerate(
            zip(self.wavenumbers(real), points, self.lower, orders, self.modes, strict=True)
        ):
            phase = np.outer(k, np.atleast_1d(x) - low)
            basis = (1j * k[:, None]) ** m * np.exp(1j * phase)
            opposite = (-1j * k[n // 2]) ** m * np.exp(-1j * phase[n // 2])
            basis[n // 2] = (basis[n // 2] + opposite) / 2
            if real and axis == len(self.modes) - 1:
                basis[1 : n // 2] *= 2
            values = np.moveaxis(np.moveaxis(values, self.axes[axis], -1) @ basis, -1, self.axes[axis])
        return np.real(values) if real else values


def _checked(box: Box, order: tuple[int, ...]) -> tuple[int, ...]:
    if len(order) != len(box.modes) or any(m < 0 for m in order):
        raise InputError(f"order must be {len(box.modes)} numbers from 0, one a coordinate, not {order}")
    return order


@lru_cache(maxsize=32)
def _symbol(box: Box, order: tuple[int, ...], real: bool) -> Complex[np.ndarray, "*modes"]:
    orders = _checked(box, order)

    def factor(*wavenumbers: Float[np.ndarray, "*modes"]) -> Complex[np.ndarray, "*modes"]:
        return np.prod([(1j * k) ** m for k, m in zip(wavenumbers, orders, strict=True)], axis=0)

    return box.average(factor, real)
