"""Residuals of the wake's modes in the Navier–Stokes equations, and the coefficients they determine."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from .modes import Modes


@dataclass(frozen=True)
class Residual:
    """What the equations say of modes.

    Attributes:
        momentum: L2 norm of both momentum equations' residual, relative to that of (u_t, v_t).
        divergence: L2 norm of u_x + v_y, relative to that of (u_x, v_y).
        lambda_1, lambda_2: by least squares in `u_t + λ1 (u·∇)u = -∇p + λ2 Δu`; 1 and 1/Re.
    """

    momentum: float
    divergence: float
    lambda_1: float
    lambda_2: float


def residual(
    modes: Modes,
    viscosity: float,
    t: Float[np.ndarray, "t"],
    x: Float[np.ndarray, "x"],
    y: Float[np.ndarray, "y"],
) -> Residual:
    """Evaluate the equations on a grid, with exact derivatives of the modes.

    Args:
        modes: the wake.
        viscosity: 1/Re.
        t: times.
        x: points in x.
        y: points in y.
    """
    value, d_t, d_x, d_y = (modes.evaluate(t, x, y, o) for o in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
    laplacian = (modes.evaluate(t, x, y, (0, 2, 0)) + modes.evaluate(t, x, y, (0, 0, 2)))[:2]
    convection = value[0] * d_x[:2] + value[1] * d_y[:2]
    rest = d_t[:2] + np.stack([d_x[2], d_y[2]])
    momentum = np.linalg.norm(rest + convection - viscosity * laplacian) / np.linalg.norm(d_t[:2])
    divergence = np.linalg.norm(d_x[0] + d_y[1]) / np.hypot(np.linalg.norm(d_x[0]), np.linalg.norm(d_y[1]))
    columns = np.stack([convection.ravel(), -laplacian.ravel()], axis=1)
    lambdas = np.linalg.lstsq(columns, -rest.ravel())[0]
    return Residual(float(momentum), float(divergence), float(lambdas[0]), float(lambdas[1]))
