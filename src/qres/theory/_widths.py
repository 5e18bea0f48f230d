"""Filling widths: the paper's, corrected ones, and the least ones, by computation."""

from __future__ import annotations

from qres.runtime.errors import InputError

from ._architecture import Architecture, forms
from ._dimension import attains_dimension

# Largest dimension for which widths are searched: some seconds.
SEARCH_LIMIT = 1500


def proposition_widths(architecture: Architecture) -> tuple[int, ...]:
    """Hidden widths the paper states as enough to fill, plain and quadratic alike; for quadratic it is false.

    `d_(h-i) = min(dh r^(i d0), binom(r^(h-i) + d0 - 1, r^(h-i)))`, i = 1, ..., h - 1

    Args:
        architecture: of which inputs, outputs, depth and activation count.

    Source: the paper, Proposition 2, after Kileel, Trager and Bruna (2019), Theorem 10.
    """
    return _sufficient(architecture, architecture.activation, architecture.outputs, architecture.inputs)


def corrected_widths(architecture: Architecture) -> tuple[int, ...]:
    """Hidden widths sufficient to attain the ceiling: to fill, unless the last layer is quadratic and d0 > 2.

    `d_(h-i) = min(m q^(i (d0 - 1)), binom(q^(h-i) + d0 - 1, q^(h-i)))`, where q = r for a plain and 2r for a
    quadratic network, and m = dh, or 2 dh if the last layer is quadratic

    Args:
        architecture: of which inputs, outputs, depth, activation and kind count.

    Source: Fröberg, Ottaviani and Shapiro (2012), "On the Waring problem for polynomial rings": a general
    form of degree k n in d variables is a sum of k^(d-1) k-th powers.
    """
    degree = architecture.activation * (2 if architecture.kind == "qres" else 1)
    outputs = architecture.outputs * (2 if architecture.quadratic_layers[-1] else 1)
    return _sufficient(architecture, degree, outputs, architecture.inputs - 1)


def _sufficient(architecture: Architecture, degree: int, outputs: int, exponent: int) -> tuple[int, ...]:
    """`min(outputs degree^(i exponent), binom(...))` for each hidden layer, first to last."""
    depth, inputs = architecture.depth, architecture.inputs
    return tuple(
        min(outputs * degree ** ((depth - layer) * exponent), forms(inputs, degree**layer))
        for layer in range(1, depth)
    )


def narrowest(architecture: Architecture, target: int, *, seed: int = 0) -> Architecture | None:
    """The narrowest network of equal hidden widths, same depth and kind, of dimension `target` or more.

    A wider network contains a narrower one, so the width is found by doubling and halving. None when none
    does.

    Args:
        architecture: of which inputs, outputs, depth, activation and kind count.
        target: a dimension.
        seed: of the random weights.
    """
    if target > SEARCH_LIMIT:
        raise InputError(f"target={target}: widths are searched for dimensions up to {SEARCH_LIMIT}")
    if target > architecture.ceiling:
        return None
    if architecture.depth == 1:
        return architecture if attains_dimension(architecture, target, seed=seed) else None

    def candidate(width: int) -> Architecture:
        return architecture.with_hidden((width,) * (architecture.depth - 1))

    def enough(width: int) -> bool:
        return attains_dimension(candidate(width), target, seed=seed)

    # By counting alone no smaller width will do.
    low = 1
    while candidate(low).bound < target:
        low += 1
    step, high = 1, low
    while not enough(high):
        low, high, step = high + 1, high + step, 2 * step
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return candidate(high)
