"""The wake as time-Fourier modes, each a Chebyshev series in the window: a value at every time and point."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float
from numpy.polynomial import chebyshev

from qres.runtime.errors import InputError

WINDOW = ((1.0, 8.0), (-2.0, 2.0))
# The series live on a slightly larger box: at its very ends the derivatives of a truncated series are bad.
BOX = ((0.95, 8.05), (-2.05, 2.05))
SAMPLES = (96, 96)
HARMONICS = 16
SMALLEST = 1e-8
FIELDS = ("u", "v", "p")

# Row r of the modes is harmonic WAVES[r]: the mean, the cosines, the sines.
WAVES = np.concatenate([[0], np.arange(1, HARMONICS + 1), np.arange(1, HARMONICS + 1)])


def chebyshev_points() -> tuple[Float[np.ndarray, "_"], Float[np.ndarray, "_"]]:
    """Where the simulation is sampled: Chebyshev points of the first kind along x and along y."""
    x, y = (
        low + (high - low) / 2 * (1 - np.cos(np.pi * (np.arange(n) + 0.5) / n))
        for (low, high), n in zip(BOX, SAMPLES, strict=True)
    )
    return x, y


def waves(t: Float[np.ndarray, "t"], period: float, order: int = 0) -> Float[np.ndarray, "t 33"]:
    """The mean, cosines and sines at times, or their derivatives of some order."""
    frequency = 2 * np.pi / period * WAVES
    turn = np.where(np.arange(len(WAVES)) > HARMONICS, -np.pi / 2, 0) + order * np.pi / 2
    return frequency**order * np.cos(np.outer(t, frequency) + turn)


def find_period(t: Float[np.ndarray, "n"], signal: Float[np.ndarray, "n"]) -> float:
    """The period with which harmonics fit a signal best, near that of its upward zeros."""
    upward = np.flatnonzero((signal[:-1] < 0) & (signal[1:] >= 0))
    if len(upward) < 3:
        raise InputError(f"a signal of at least two periods is needed, but it has {len(upward)} upward zeros")
    guess = float(t[upward[-1]] - t[upward[0]]) / (len(upward) - 1)

    def misfit(period: float) -> float:
        basis = waves(t, period)
        return float(np.linalg.norm(signal - basis @ np.linalg.lstsq(basis, signal)[0]))

    from scipy.optimize import minimize_scalar  # only here: it takes long to import

    found = minimize_scalar(
        misfit, bounds=(0.99 * guess, 1.01 * guess), method="bounded", options={"xatol": 1e-9}
    )
    return float(found.x)


@dataclass(frozen=True)
class Modes:
    """Chebyshev coefficients of every time-Fourier mode.

    Half of them are 0: the wake is its own mirror image half a period on.

    Attributes:
        coefficients: (field, mode, degree in x, half the degree in y) for u, v, p.
        period: of the shedding. At t = 0 the lift is 0 and rises.
        facts: what the simulation found: Strouhal number, drag, lift, how well the modes fit.
    """

    coefficients: Float[np.ndarray, "3 33 nx half"]
    period: float
    facts: Mapping[str, float]

    def save(self, path: Path) -> None:
        """Write to a temporary name, then rename; in single precision."""
        temporary = path.with_suffix(".part")
        with temporary.open("wb") as file:
            facts = json.dumps({"period": self.period, **self.facts})
            kept = self.coefficients.astype(np.float32)
            np.savez_compressed(file, coefficients=kept, facts=np.array(facts))
        temporary.replace(path)

    @staticmethod
    def load(path: Path) -> "Modes":
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as stored:
            facts = json.loads(str(stored["facts"]))
            return Modes(stored["coefficients"].astype(float), facts["period"], facts)

    def evaluate(
        self,
        t: Float[np.ndarray, "t"],
        x: Float[np.ndarray, "x"],
        y: Float[np.ndarray, "y"],
        order: tuple[int, int, int] = (0, 0, 0),
    ) -> Float[np.ndarray, "3 t x y"]:
        """u, v, p, or their derivatives of some order in t, x, y, on the grid that t, x, y span."""
        full = np.zeros((*self.coefficients.shape[:3], 2 * self.coefficients.shape[3]))
        for field, mode, odd in _parities():
            full[field, mode, :, odd::2] = self.coefficients[field, mode]
        for axis, (points, (low, high), m) in enumerate(zip((x, y), BOX, order[1:], strict=True), start=2):
            scaled = (2 * points - low - high) / (high - low)
            series = chebyshev.chebder(full, m, scl=2 / (high - low), axis=axis) if m else full
            basis = chebyshev.chebvander(scaled, series.shape[axis] - 1)
            full = np.moveaxis(np.tensordot(series, basis, (axis, 1)), -1, axis)
        return np.moveaxis(np.tensordot(waves(t, self.period, order[0]), full, (1, 1)), 0, 1)


def _parities() -> list[tuple[int, int, int]]:
    """Of each field and mode the parity in y: harmonic k of u and p is even when k is, v is the opposite."""
    return [(f, r, int(wave + (f == 1)) % 2) for f in range(len(FIELDS)) for r, wave in enumerate(WAVES)]


def fit(
    times: Float[np.ndarray, "n"],
    fields: Float[np.ndarray, "n 3 points"],
    force_times: Float[np.ndarray, "m"],
    forces: Float[np.ndarray, "m 2"],
    degrees: tuple[int, int],
) -> Modes:
    """Modes of a sampled simulation, by least squares in time and a cosine transform in space.

    Args:
        times: of the samples, over at least two periods.
        fields: u, v, p at the points of `chebyshev_points`, x slowest.
        force_times: of the forces.
        forces: drag and lift coefficients.
        degrees: how many Chebyshev polynomials to keep in x and in y (even).
    """
    from scipy.fft import dctn  # only here: it takes long to import

    period = find_period(force_times, forces[:, 1])
    lift = np.linalg.lstsq(waves(force_times, period), forces[:, 1])[0]
    # Time 0 is where the first harmonic of the lift is a rising sine.
    start = -np.arctan2(lift[1], lift[1 + HARMONICS]) * period / (2 * np.pi)
    in_time = np.linalg.lstsq(waves(times - start, period), fields.reshape(len(times), -1))[0]
    in_time = in_time.reshape(len(WAVES), len(FIELDS), *SAMPLES).swapaxes(0, 1)
    # The cosine transform wants the points descending.
    series = np.asarray(dctn(in_time[..., ::-1, ::-1], type=2, axes=(2, 3), norm="forward"))
    series[:, :, 1:] *= 2
    series[..., 1:] *= 2
    kept = np.stack([series[f, r, : degrees[0], odd : degrees[1] : 2] for f, r, odd in _parities()])
    # Rounded as they will be in the file, so that what is said of them holds for it.
    kept = np.where(np.abs(kept) < SMALLEST, 0, kept).astype(np.float32).astype(float)
    modes = Modes(kept.reshape(len(FIELDS), len(WAVES), degrees[0], degrees[1] // 2), period, {})
    again = modes.evaluate(times - start, *chebyshev_points()).swapaxes(0, 1).reshape(fields.shape)
    errors = np.sqrt(np.mean((again - fields) ** 2, axis=(0, 2)) / np.var(fields, axis=(0, 2)))
    facts = _force_facts(force_times - start, forces, period)
    facts |= {f"misfit_{name}": float(error) for name, error in zip(FIELDS, errors, strict=True)}
    return Modes(modes.coefficients, period, facts)


def _force_facts(
    t: Float[np.ndarray, "m"], forces: Float[np.ndarray, "m 2"], period: float
) -> dict[str, float]:
    """Strouhal number, drag and lift, and how periodic the lift is: its relative misfit by harmonics."""
    basis = waves(t, period)
    smooth = basis @ np.linalg.lstsq(basis, forces)[0]
    return {
        "strouhal": 1 / period,
        "drag_mean": float(np.linalg.lstsq(basis, forces[:, 0])[0][0]),
        "lift_max": float(np.max(smooth[:, 1])),
        "lift_misfit": float(np.linalg.norm(forces[:, 1] - smooth[:, 1]) / np.linalg.norm(smooth[:, 1])),
    }
