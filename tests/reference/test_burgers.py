import math
from typing import Any

import mpmath
import numpy as np
import pytest

from qres.reference import cole_hopf
from qres.reference.burgers import VISCOSITY


def exact(t: float, x: float, nu: float) -> float:
    """The quotient of integrals with 40 digits, by mpmath's adaptive quadrature."""
    with mpmath.workdps(40):
        scale = 1 / (2 * mpmath.pi * nu)
        top = max(
            -math.cos(math.pi * y) * float(scale) - (y - x) ** 2 / (4 * nu * t)
            for y in np.linspace(-3, 3, 6001)
        )

        def both(y: Any) -> Any:
            weight = mpmath.exp(-mpmath.cos(mpmath.pi * y) * scale - (y - x) ** 2 / (4 * nu * t) - top)
            return mpmath.mpc(weight, -mpmath.sin(mpmath.pi * y) * weight)

        integral = mpmath.mpmathify(mpmath.quad(both, mpmath.linspace(x - 2, x + 2, 25)))
        return float(integral.imag / integral.real)


@pytest.mark.parametrize(("t", "x"), [(0.01, 0.9), (0.3, 0.02), (0.99, 0.001), (0.99, -0.7)])
def test_forty_digits(t, x):
    assert abs(cole_hopf(np.array([t]), np.array([x]))[0, 0] - exact(t, x, VISCOSITY)) < 2e-15


def trapezoid(t: float, x: np.ndarray, nu: float) -> np.ndarray:
    offsets = np.linspace(-1, 1, 8001) * (1.5 + 14 * math.sqrt(nu * t))
    y = x[:, None] + offsets
    exponent = -np.cos(math.pi * y) / (2 * math.pi * nu) - offsets**2 / (4 * nu * t)
    mass = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return -np.sum(np.sin(math.pi * y) * mass, axis=1) / np.sum(mass, axis=1)


@pytest.mark.parametrize("nu", [1.0, 0.1, VISCOSITY, 1e-3, 1e-4])
@pytest.mark.parametrize("t", [0.01, 0.3, 0.99])
def test_dense_trapezoid_at_any_viscosity(nu, t):
    x = np.linspace(-1, 1, 101)
    np.testing.assert_allclose(cole_hopf(np.array([t]), x, nu)[0], trapezoid(t, x, nu), rtol=0, atol=1e-14)


def test_gauss_hermite_on_the_papers_grid():
    t, x = np.linspace(0, 0.99, 100)[1:], np.linspace(-1, 1, 256)
    z, w = np.polynomial.hermite.hermgauss(100)
    y = x[:, None] - np.sqrt(4 * VISCOSITY * t)[:, None, None] * z
    exponent = np.log(w) - np.cos(np.pi * y) / (2 * np.pi * VISCOSITY)
    mass = np.exp(exponent - exponent.max(axis=-1, keepdims=True))
    expected = -np.sum(np.sin(np.pi * y) * mass, axis=-1) / np.sum(mass, axis=-1)
    np.testing.assert_allclose(cole_hopf(t, x), expected, rtol=0, atol=1e-14)


def test_initial_data_and_symmetry():
    x = np.linspace(-1, 1, 41)
    u = cole_hopf(np.array([0.0, 0.5]), x)
    np.testing.assert_array_equal(u[0], -np.sin(np.pi * x))
    np.testing.assert_allclose(u, -u[:, ::-1], atol=1e-15)
    np.testing.assert_allclose(cole_hopf(np.array([0.5]), x + 2)[0], u[1], atol=1e-13)


def test_bad_input():
    with pytest.raises(ValueError, match="nu must be positive, not -1"):
        cole_hopf(np.array([0.5]), np.array([0.0]), nu=-1.0)
    with pytest.raises(ValueError, match=r"t must not be negative, but its least value is -0\.5"):
        cole_hopf(np.array([1.0, -0.5]), np.array([0.0]))
