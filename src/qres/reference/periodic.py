"""The paper's equations on a periodic line: KdV, Allen–Cahn, Schrödinger."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Inexact

from ._gridded import Gridded
from .fourier import Box
from .spectral import Linear, Nonlinear, solve


@dataclass(frozen=True)
class Resolution:
    """Modes, longest time step, and the factor by which initial data are oversampled (1: interpolated)."""

    modes: int
    step: float
    oversample: int = 1

    def halved(self) -> Resolution:
        """Half the modes and twice the step: the difference to it bounds the error of the whole."""
        return Resolution(self.modes // 2, 2 * self.step, 2 * self.oversample)


def _only_u(values: Inexact[np.ndarray, "t x"]) -> dict[str, Float[np.ndarray, "t x"]]:
    return {"u": np.real(values)}


def _parts(values: Inexact[np.ndarray, "t x"]) -> dict[str, Float[np.ndarray, "t x"]]:
    return {"u": np.real(values), "v": np.imag(values), "h": np.abs(values)}


@dataclass(frozen=True)
class PeriodicProblem:
    """`u_t = L u + N(u)` on a periodic line, with the grid on which it is asked for.

    Attributes:
        equation: the problem as text.
        linear, nonlinear, initial: as `spectral.solve` takes them.
        bounds: of x; the upper one is the lower one.
        points: of the grid in x.
        end: the last of 201 times from 0.
        paper, truth: the resolution of the published data, and one that has converged.
        method: of the time step.
        fields: from the values to the fields by name.
    """

    equation: str
    linear: Linear
    nonlinear: Nonlinear
    initial: Callable[..., Inexact[np.ndarray, "*grid"]]
    bounds: tuple[float, float]
    points: int
    end: float
    paper: Resolution
    truth: Resolution
    method: str = "etdrk4"
    fields: Callable[[np.ndarray], dict[str, np.ndarray]] = _only_u

    def grid(self) -> tuple[Float[np.ndarray, " t"], Float[np.ndarray, " x"]]:
        """Times and points of the paper's grid."""
        return np.linspace(0, self.end, 201), np.linspace(*self.bounds, self.points, endpoint=False)

    def sample(self, resolution: Resolution) -> Inexact[np.ndarray, "t x"]:
        """The solution at a resolution, on the paper's grid."""
        t, x = self.grid()
        box = Box(self.bounds[:1], self.bounds[1:], (resolution.modes,))
        evolution = solve(
            box,
            self.linear,
            self.nonlinear,
            self.initial,
            t,
            resolution.step,
            resolution.oversample,
            self.method,
        )
        values = evolution.at(x)[:, 0]
        values[0] = self.initial(x)  # known without any modes
        return values

    def specification(self, resolution: Resolution) -> list[object]:
        """All that determines a solution, for the cache."""
        return [self.equation, self.bounds, self.points, self.end, self.method, *vars(resolution).values()]

    def gridded(self, resolution: Resolution, reference: Gridded | None = None) -> Gridded:
        """The solution with its error: against `reference`, or against itself at half the resolution."""
        t, x = self.grid()
        fields = self.fields(self.sample(resolution))
        coarse = self.fields(self.sample(resolution.halved())) if reference is None else reference.fields
        names = [name for name in fields if name != "h"]
        difference = math.hypot(*(float(np.linalg.norm(fields[n] - coarse[n])) for n in names))
        attributes = {
            "equation": self.equation,
            "method": f"Fourier, {self.method}",
            "modes": resolution.modes,
            "step": resolution.step,
            "error": difference / math.hypot(*(float(np.linalg.norm(fields[n])) for n in names)),
            "error_meaning": "relative L2 distance, all times, to "
            + (
                "half the modes and twice the step: a bound"
                if reference is None
                else "the converged solution"
            ),
        }
        return Gridded({"t": t, "x": x}, fields, attributes)


PROBLEMS = {
    "kdv": PeriodicProblem(
        equation="u_t + u*u_x + 0.0025*u_xxx = 0, u(0, x) = cos(pi*x), x in [-1, 1) periodic",
        linear=lambda k: 0.0025j * k**3,
        nonlinear=lambda u, d: -u * d(u, 1),
        initial=lambda x: np.cos(np.pi * x),
        bounds=(-1.0, 1.0),
        points=512,
        end=1.0,
        paper=Resolution(512, 1e-4),
        truth=Resolution(512, 1e-4),
    ),
    # The initial data of the two below have a kink where the period closes: slopes differ by 4, and by 0.054.
    # Published files interpolate them with few modes, which is their error (1.2e-5 and 1.7e-5).
    "allen-cahn": PeriodicProblem(
        equation="u_t = 0.0001*u_xx + 5*u - 5*u**3, u(0, x) = x**2*cos(pi*x), x in [-1, 1) periodic",
        linear=lambda k: -0.0001 * k**2,
        nonlinear=lambda u, d: 5 * u - 5 * u**3,
        initial=lambda x: x**2 * np.cos(np.pi * x),
        bounds=(-1.0, 1.0),
        points=512,
        end=1.0,
        paper=Resolution(512, 1 / 1600),
        truth=Resolution(4096, 1 / 1600, oversample=256),
    ),
    "schrodinger": PeriodicProblem(
        equation="i*h_t + 0.5*h_xx + |h|**2*h = 0, h = u + i*v, h(0, x) = 2*sech(x), x in [-5, 5) periodic",
        linear=lambda k: -0.5j * k**2,
        nonlinear=lambda h, d: 1j * (h.real**2 + h.imag**2) * h,
        initial=lambda x: 2 / np.cosh(x) + 0j,
        bounds=(-5.0, 5.0),
        points=256,
        end=np.pi / 2,
        paper=Resolution(256, np.pi / 6400),
        truth=Resolution(4096, np.pi / 12800, oversample=256),
        method="lawson4",
        fields=_parts,
    ),
}
