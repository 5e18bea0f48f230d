"""Samplers of collocation points: built-in methods by name, and user-defined ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, PRNGKeyArray

from qres.runtime.errors import InputError, listed, shorten
from qres.runtime.registry import Registry

from ._domain import Domain

ResidualSize = Callable[[Float[np.ndarray, "d n"]], Float[np.ndarray, " n"]]


@runtime_checkable
class Sampler(Protocol):
    """Draws the collocation points of the equations, at the start and at each resampling."""

    def draw(
        self, domain: Domain, count: int, key: PRNGKeyArray, residual: ResidualSize | None = None
    ) -> Float[np.ndarray, "d n"]:
        """As many points as asked, inside the domain.

        Args:
            domain: has `coordinates`, `lower` and `upper` of the box, and `region`, None where all of it is meant.
            count: how many.
            key: of the random numbers; the same key must give the same points.
            residual: the size of the equations' residuals at points `(d, n)`, for a resampling; None at the start.
        """
        ...


BUILT_IN = ("lhs", "sobol", "grid", "uniform", "data")
SAMPLERS: Registry[Sampler | str] = Registry("sampling method", {name: name for name in BUILT_IN}, "sampler")


def register_sampler(name: str, sampler: Sampler) -> None:
    """Give a sampler a name, for `Sampling(method=name)`, in files, runs and sweeps.

    Args:
        name: lower-case letters, digits, `_`, `-` and `.`.
        sampler: any object with the method `draw`.
    """
    if isinstance(sampler, type) or not isinstance(sampler, Sampler):
        raise InputError(
            f"sampler {name!r}: {shorten(repr(sampler))} has no method draw(domain, count, key, residual)"
        )
    SAMPLERS.register(name, sampler)


def find_sampler(method: str) -> Sampler | None:
    """The user's sampler of a name; None where the method is built in."""
    found = SAMPLERS[method]
    return None if isinstance(found, str) else found


def draw_checked(
    method: str, domain: Domain, count: int, key: PRNGKeyArray, residual: ResidualSize | None = None
) -> Float[np.ndarray, "d count"]:
    """The points of a user's sampler; an error where they are not what was asked for."""
    sampler = find_sampler(method)
    assert sampler is not None
    points = np.asarray(sampler.draw(domain, count, key, residual), dtype=float)
    asked = (len(domain.coordinates), count)
    if points.shape != asked:
        raise InputError(
            f"sampler {method!r}: points must have shape {asked}, a row for each of {listed(domain.coordinates)}, "
            f"not {points.shape}"
        )
    lower, upper = (np.array(ends)[:, None] for ends in (domain.lower, domain.upper))
    inside = np.all((points >= lower) & (points <= upper), axis=0)
    if domain.region is not None:
        inside &= domain.region.contains(points)
    if not np.all(inside):
        raise InputError(f"sampler {method!r}: {np.sum(~inside)} of {count} points are not inside the domain")
    return points
