"""Sample points of a region: its interior, the faces that bound it, and its surfaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, PRNGKeyArray

from qres.runtime.errors import InputError
from qres.runtime.random import fold_in, generator

from ._domain import Domain
from ._placed import placed
from ._region import part_inside
from ._sampling import choose, points_in
from ._surface import Surface

_TRIES = 12
_DOUBLED = 1.3  # more than what was seen to be needed, since the share inside is only known roughly


def region_points(
    domain: Domain,
    locations: Sequence[Sequence[float | None]],
    free: tuple[bool, ...],
    method: str,
    count: int,
    key: PRNGKeyArray,
) -> Float[np.ndarray, "d n"]:
    """So many points of the box, or of a part of it, that are inside wherever they are placed.

    A grid has those of its points that are inside, at least as many as asked for.
    """
    wanted, found = count, np.zeros((len(free), 0))
    for number in range(_TRIES):
        drawn = points_in(domain.lower, domain.upper, free, method, wanted, fold_in(key, number))
        kept = drawn[:, part_inside(domain.region, [placed(drawn, place) for place in locations])]
        found = kept if method == "grid" else np.concatenate([found, kept], axis=1)
        if found.shape[1] >= count:
            return found if method == "grid" else found[:, :count]
        share = max(kept.shape[1] / drawn.shape[1], 0.01)
        wanted = int(_DOUBLED * (count if method == "grid" else count - found.shape[1]) / share) + 10
        if method == "grid":
            wanted = max(wanted, 2 * drawn.shape[1])
    where = "there" if domain.region is None else " and ".join(domain.region.texts)
    raise InputError(f"inside {where!r}: only {found.shape[1]} of {count} points were found in many tries")


def surface_points(
    domain: Domain, surface: Surface, count: int, key: PRNGKeyArray
) -> Float[np.ndarray, "d n"]:
    """So many points on a surface: those that bound the region, where any do, or else those inside it."""
    random, wanted, found = generator(key), 40 * count, np.zeros((len(domain.coordinates), 0))
    for _ in range(_TRIES):
        found = surface.points(wanted, random)
        if (region := domain.region) is not None:
            on_boundary = region.bounded_by(surface, found)
            found = found[:, on_boundary if np.any(on_boundary) else region.contains(found)]
        if found.shape[1] >= count:
            return found[:, choose(key, found, np.ones(found.shape[1]), count, 1.0, 0.0)]
        wanted *= 2
    raise InputError(f"only {found.shape[1]} of {count} points were found on a surface, in many tries")
