"""Plain and quadratic networks compared: the depth of Theorem 1, the widths of Theorem 2, equal dimensions."""

from __future__ import annotations

from math import log

from ._architecture import Architecture, Kind
from ._widths import narrowest


def depth_bound(architecture: Architecture) -> float | None:
    """Least depth of a plain network as expressive as a filling quadratic one; None for r = 1 or h_q = 1.

    `h_n >= 1 + (1 + log 2 / log r) (h_q - 1)`, true for two inputs or more

    Args:
        architecture: of which depth h_q and activation r count.

    Source: the paper, Theorem 1.
    """
    if architecture.activation == 1 or architecture.depth == 1:
        return None
    return 1 + (1 + log(2) / log(architecture.activation)) * (architecture.depth - 1)


def least_depth(architecture: Architecture, target: int) -> int | None:
    """Least depth at which a network of this kind can attain a dimension, at any width; None when none can.

    `min {h : ceiling(h) >= target}`, not less than the architecture's own depth

    Args:
        architecture: inputs, outputs, activation and kind count; its depth is where the search begins.
        target: a dimension.
    """
    grows = architecture.inputs > 1 and (architecture.activation > 1 or architecture.kind == "qres")
    candidate = architecture
    while candidate.ceiling < target:
        if not grows:
            return None
        candidate = candidate.with_hidden((1,) * candidate.depth)
    return candidate.depth


def width_exponents(architecture: Architecture) -> tuple[int, ...]:
    """Exponents of Theorem 2, one a hidden layer: plain widths are to be `2^tau` times quadratic ones.

    `tau_(h-i) = min(i d0, (h - i)(d0 - 1))`

    Args:
        architecture: of which inputs and depth count.

    Source: the paper, Theorem 2.
    """
    depth, inputs = architecture.depth, architecture.inputs
    return tuple(min((depth - layer) * inputs, layer * (inputs - 1)) for layer in range(1, depth))


def equal_dimension(
    architecture: Architecture, target: int, kind: Kind, *, seed: int = 0
) -> Architecture | None:
    """The narrowest network of another kind with dimension `target` or more, the shallowest but no shallower.

    Args:
        architecture: the network to match; its inputs, outputs, activation and depth are kept where they can
            be.
        target: its dimension.
        kind: of the network looked for.
        seed: of the random weights.
    """
    other = architecture.as_kind(kind)
    depth = least_depth(other, target)
    if depth is None:
        return None
    found = narrowest(other.with_hidden((1,) * (depth - 1)), target, seed=seed)
    # A single layer has no width to choose: one more gives it.
    return found or narrowest(other.with_hidden((1,) * depth), target, seed=seed)
