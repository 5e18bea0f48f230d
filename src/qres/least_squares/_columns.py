"""Columns of a least-squares problem: what each feature adds to each residual, through jets of the features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from qres.jets import Truncation, factorial, positions
from qres.networks import Network, Plain

_FEATURES, _POINTS = 128, 512  # at a time: what stays in the cache, and one program for any number of either
# The half of pi in parts, the first of few enough digits that their multiples are exact.
_HALF_PI = (1.570796325802803, 9.920935791635221e-10, 5.170182981794105e-19)
Pattern = tuple[tuple[int, ...], ...]


def feature_columns(
    network: Network,
    truncation: Truncation,
    points: Float[np.ndarray, "d n"],
    slopes: Float[np.ndarray, "combinations indices n"],
    out: Sequence[Float[np.ndarray, "features n"]],
) -> None:
    """Add `Σ_k s_k φ_k` to arrays, one for each combination of the Taylor coefficients of the hidden features.

    Args:
        network: whose hidden layer the features are.
        truncation: of the coefficients.
        points: at which they are taken.
        slopes: of each combination in each coefficient.
        out: what is added to.
    """
    pattern = tuple(tuple(np.flatnonzero(np.any(one != 0, axis=1)).tolist()) for one in slopes)
    out = [array for array, used in zip(out, pattern, strict=True) if used]
    if not out:
        return
    packed = np.concatenate([one[list(used)] for one, used in zip(slopes, pattern, strict=True)])
    pattern = tuple(used for used in pattern if used)
    for first, last, start, stop, hidden, x, s in _pieces(network, points, packed):
        found = np.asarray(_combined(hidden, x, s, truncation, pattern))
        for array, block in zip(out, found, strict=True):
            array[first:last, start:stop] += block[: last - first, : stop - start]


def outputs_at(
    network: Network,
    weights: Float[np.ndarray, "fields features"],
    truncation: Truncation,
    points: Float[np.ndarray, "d n"],
) -> Float[np.ndarray, "fields indices n"]:
    """The Taylor coefficients of sums of the features, without the biases of the output layer."""
    out = np.zeros((len(weights), len(truncation), points.shape[1]))
    for first, last, start, stop, hidden, x, _ in _pieces(network, points, np.zeros((0, points.shape[1]))):
        own = np.pad(weights[:, first:last], ((0, 0), (0, _FEATURES - (last - first))))
        out[:, :, start:stop] += np.asarray(_summed(hidden, x, own, truncation))[:, :, : stop - start]
    return out


def _pieces(network: Network, points: np.ndarray, packed: np.ndarray) -> Iterator[Any]:
    """Blocks of features and points, padded to one size."""
    embedding, layer = network.embedding, network.layers[0]
    count, n = network.architecture.width, points.shape[1]
    for first in range(0, count, _FEATURES):
        last = min(first + _FEATURES, count)
        rows = [*range(first, last), *[first] * (_FEATURES - (last - first))]
        hidden = (embedding, jax.tree.map(lambda array, rows=rows: np.asarray(array)[rows], layer))
        for start in range(0, n, _POINTS):
            stop = min(start + _POINTS, n)
            pad = ((0, 0), (0, start + _POINTS - stop))
            x, s = (np.pad(array[:, start:stop], pad, mode="edge") for array in (points, packed))
            yield first, last, start, stop, hidden, x, s


def _taylor(hidden: Any, points: Any, truncation: Truncation) -> list[Any]:
    """The coefficients of a block of features, each an array, or None where it vanishes."""
    embedding, layer = hidden
    jet = layer(embedding(positions(truncation, points)))
    return [None if c is None else c + jnp.zeros((_FEATURES, points.shape[1])) for c in jet.coefficients]


def _monomials(hidden: Any, truncation: Truncation) -> tuple[list[Any], list[Any]]:
    """Of plane waves `sin(w·x + b)`, the factors `±w^k/k!` that stand by the sine and by the cosine; None for zero."""
    embedding, layer = hidden
    spans = jnp.array([2 / (high - low) for low, high in zip(embedding.lower, embedding.upper, strict=True)])
    powers = [
        (-1.0) ** (sum(k) // 2) / factorial(k) * jnp.prod((layer.W * spans) ** jnp.array(k), axis=1)
        for k in truncation.indices
    ]
    even = [sum(k) % 2 == 0 for k in truncation.indices]
    return (
        [one if is_even else None for one, is_even in zip(powers, even, strict=True)],
        [None if is_even else one for one, is_even in zip(powers, even, strict=True)],
    )


def _sine_cosine(angle: Any) -> tuple[Any, Any]:
    """Sine and cosine of angles up to 1e5, to 2e-16; XLA's own call the C library for each number."""
    quarter = jnp.round(angle * (2 / np.pi))
    rest = angle
    for part in _HALF_PI:
        rest = rest - quarter * part
    square = rest * rest
    sine, cosine = jnp.zeros_like(rest), jnp.zeros_like(rest)
    for n in range(8, 0, -1):
        sine = (sine + (-1.0) ** n / factorial((2 * n + 1,))) * square
        cosine = (cosine + (-1.0) ** n / factorial((2 * n,))) * square
    sine, cosine = rest + rest * sine, 1.0 + cosine
    turned = quarter - 4 * jnp.floor(quarter / 4)
    swap = (turned == 1) | (turned == 3)
    one, other = jnp.where(swap, cosine, sine), jnp.where(swap, sine, cosine)
    return jnp.where(turned >= 2, -one, one), jnp.where((turned == 1) | (turned == 2), -other, other)


def _waves(hidden: Any, points: Any) -> tuple[Any, Any]:
    embedding, layer = hidden
    return _sine_cosine(layer.W @ embedding(points) + layer.b[:, None])


def _is_sine(hidden: Any) -> bool:
    embedding, layer = hidden
    return isinstance(layer, Plain) and layer.activation.name == "sin" and not any(embedding.harmonics)


@partial(jax.jit, static_argnums=(3, 4))
def _combined(hidden: Any, points: Any, packed: Any, truncation: Truncation, pattern: Pattern) -> Any:
    ends = np.cumsum([len(used) for used in pattern]).tolist()
    slopes = [packed[end - len(used) : end] for used, end in zip(pattern, ends, strict=True)]
    combine = _combined_waves if _is_sine(hidden) else _combined_series
    return jnp.stack(combine(hidden, points, slopes, truncation, pattern))


def _combined_waves(
    hidden: Any, points: Any, slopes: Sequence[Any], truncation: Truncation, pattern: Pattern
) -> list[Any]:
    """Of plane waves: a sum is the sine times one matrix product, and the cosine times another."""
    found = []
    parts = list(zip(_waves(hidden, points), _monomials(hidden, truncation), strict=True))
    for used, own in zip(pattern, slopes, strict=True):
        total = jnp.zeros((_FEATURES, points.shape[1]))
        for wave, powers in parts:
            mine = [row for row, k in enumerate(used) if powers[k] is not None]
            if mine:
                factors = jnp.stack([powers[used[row]] for row in mine], axis=1)
                total += wave * (factors @ own[np.array(mine)])
        found.append(total)
    return found


def _combined_series(
    hidden: Any, points: Any, slopes: Sequence[Any], truncation: Truncation, pattern: Pattern
) -> list[Any]:
    """Of any features: sums of their Taylor coefficients."""
    coefficients = _taylor(hidden, points, truncation)
    found = []
    for used, own in zip(pattern, slopes, strict=True):
        total = jnp.zeros((_FEATURES, points.shape[1]))
        for row, k in enumerate(used):
            total = total if coefficients[k] is None else total + own[row] * coefficients[k]
        found.append(total)
    return found


@partial(jax.jit, static_argnums=(3,))
def _summed(hidden: Any, points: Any, weights: Any, truncation: Truncation) -> Any:
    if _is_sine(hidden):
        (sine, cosine), (even, odd) = _waves(hidden, points), _monomials(hidden, truncation)
        return jnp.stack(
            [
                weights * a @ sine if a is not None else weights * b @ cosine
                for a, b in zip(even, odd, strict=True)
            ],
            axis=1,
        )
    zero = jnp.zeros((len(weights), points.shape[1]))
    return jnp.stack(
        [zero if c is None else weights @ c for c in _taylor(hidden, points, truncation)], axis=1
    )
