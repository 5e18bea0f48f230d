"""The equations that are measured: as text for qres, and once as a formula of derivatives for all others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

NU = 0.01 / math.pi
Derivative = Callable[
    [str, str], Any
]  # a field's name, and the coordinates it is differentiated by ("" for its value)


@dataclass(frozen=True)
class Equation:
    """A system of equations on a box; `residual(d)` gives its left sides less its right sides."""

    domain: dict[str, tuple[float, float]]
    text: tuple[str, ...]
    residual: Callable[[Derivative], list[Any]]
    fields: tuple[str, ...] = ("u",)
    definitions: dict[str, str] = field(default_factory=dict)
    constants: dict[str, float] = field(default_factory=dict)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(self.domain)


def _wake(d: Derivative) -> list[Any]:
    """Navier–Stokes by a stream function, `u = ψ_y, v = -ψ_x`, with the true coefficients 1 and 0.01."""
    u, v = d("psi", "y"), -d("psi", "x")
    first = d("psi", "ty") + (u * d("psi", "xy") + v * d("psi", "yy")) + d("p", "x")
    second = -d("psi", "tx") + (u * -d("psi", "xx") + v * -d("psi", "xy")) + d("p", "y")
    return [
        first - 0.01 * (d("psi", "xxy") + d("psi", "yyy")),
        second + 0.01 * (d("psi", "xxx") + d("psi", "xyy")),
    ]


def order_equation(order: int) -> Equation:
    """`u_t + u u_x = c ∂ₓᵏu`: one more Taylor coefficient for each order k."""
    highest = "x" * order
    return Equation(
        {"t": (0.0, 1.0), "x": (-1.0, 1.0)},
        (f"u_t + u*u_x = c*u_{highest}",),
        lambda d: [d("u", "t") + d("u", "") * d("u", "x") - 0.001 * d("u", highest)],
        constants={"c": 0.001},
    )


def heat_equation(dimensions: int) -> Equation:
    """`u_t = c Δu` in d coordinates of space: 2 + 2d Taylor coefficients."""
    names = "xyzw"[:dimensions]
    return Equation(
        {"t": (0.0, 1.0)} | dict.fromkeys(names, (-1.0, 1.0)),
        ("u_t = c*(" + " + ".join(f"u_{name}{name}" for name in names) + ")",),
        lambda d: [d("u", "t") - 0.1 * sum(d("u", 2 * name) for name in names)],
        constants={"c": 0.1},
    )


EQUATIONS: dict[str, Equation] = {
    "burgers": Equation(
        {"t": (0.0, 1.0), "x": (-1.0, 1.0)},
        ("u_t + u*u_x = nu*u_xx",),
        lambda d: [d("u", "t") + d("u", "") * d("u", "x") - NU * d("u", "xx")],
        constants={"nu": NU},
    ),
    "kdv": Equation(
        {"t": (0.0, 1.0), "x": (-1.0, 1.0)},
        ("u_t + u*u_x + 0.0025*u_xxx = 0",),
        lambda d: [d("u", "t") + d("u", "") * d("u", "x") + 0.0025 * d("u", "xxx")],
    ),
    # As the library's navier-stokes-inverse-stream, without its data.
    "navier-stokes-stream": Equation(
        {"t": (0.0, 20.0), "x": (1.0, 8.0), "y": (-2.0, 2.0)},
        (
            "u_t + (u*u_x + v*u_y) = -p_x + 0.01*(u_xx + u_yy)",
            "v_t + (u*v_x + v*v_y) = -p_y + 0.01*(v_xx + v_yy)",
        ),
        _wake,
        fields=("psi", "p"),
        definitions={"u": "psi_y", "v": "-psi_x"},
    ),
    **{f"order-{order}": order_equation(order) for order in range(1, 6)},
    **{f"heat-{dimensions}": heat_equation(dimensions) for dimensions in range(1, 5)},
}
