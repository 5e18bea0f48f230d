"""Parts of an ansatz that do not depend on the network, such as waves: computed once per set of points."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, shard_map
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from qres.jets import Jet, Truncation
from qres.problems import Problem
from qres.runtime.devices import chunk_size

_PIECE = 512  # points at a time on a CPU: the waves of these stay in the cache
_AXIS = "pieces"

Table = Callable[[Float[np.ndarray, "d n"]], Float[np.ndarray, "rows n"]]


def known_table(problem: Problem, truncation: Truncation) -> Table | None:
    """From points to all coefficients of all known functions, one row each; None where there are none."""
    if not problem.backgrounds:
        return None

    def one(points: Float[Array, "d n"]) -> Float[Array, "rows n"]:
        coordinates = [Jet.coordinate(truncation, n, points[i]) for i, n in enumerate(problem.coordinates)]
        found = [background.function(*coordinates) for background in problem.backgrounds]
        return jnp.stack([_whole(c, points[0]) for jet in found for c in jet.coefficients])

    devices = jax.local_devices()
    mesh = Mesh(np.array(devices), (_AXIS,))

    @jax.jit
    def rows(pieces: Float[Array, "pieces d n"]) -> Float[Array, "pieces rows n"]:
        each = shard_map(
            lambda mine: jax.lax.map(one, mine), mesh=mesh, in_specs=P(_AXIS), out_specs=P(_AXIS)
        )
        return each(pieces)

    def table(points: Float[np.ndarray, "d n"]) -> Float[np.ndarray, "rows n"]:
        count = points.shape[1]
        piece = chunk_size(_PIECE, points=-(-count // len(devices)))
        spare = -count % (piece * len(devices))
        padded = np.pad(points, ((0, 0), (0, spare)), mode="edge").reshape(len(points), -1, piece)
        found = np.asarray(rows(jnp.asarray(padded.transpose(1, 0, 2))))
        return found.transpose(1, 0, 2).reshape(found.shape[1], -1)[:, :count]

    return table


def known_jets(
    problem: Problem, truncation: Truncation, rows: Float[Array, "rows n"] | None
) -> Mapping[str, Jet]:
    """The jets of all known functions, by their text, from the rows of a table."""
    if rows is None:
        return {}
    size = len(truncation)
    return {
        text: Jet(truncation, [rows[k : k + 1] for k in range(place * size, (place + 1) * size)])
        for place, text in enumerate(background.text for background in problem.backgrounds)
    }


def _whole(coefficient: Array | np.ndarray | float | None, like: Array) -> Array:
    return jnp.zeros_like(like) if coefficient is None else jnp.broadcast_to(coefficient, like.shape)
