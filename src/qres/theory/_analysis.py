"""What an architecture can express, in one record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ._architecture import Architecture, Kind, Last
from ._comparison import depth_bound, equal_dimension, least_depth, width_exponents
from ._dimension import dimension
from ._widths import SEARCH_LIMIT, corrected_widths, narrowest, proposition_widths


@dataclass(frozen=True)
class Analysis:
    """The leading variety of a network, and what the paper's statements say of it.

    Args:
        widths: `(d0, ..., dh)`.
        kind: "qres" or "plain".
        last: the output layer of a quadratic network.
        activation: degree r of the activation.
        degree: degree of the leading form.
        dimension: of the leading variety: the larger of the ranks.
        ambient: dimension of the space of forms.
        ceiling: the largest dimension that any width attains.
        bound: upper bound of the dimension by counting.
        filling: whether dimension and ambient are equal.
        proven: whether the dimension meets its upper bound.
        ranks: each prime with the rank over its field.
        parameters: trainable parameters, biases included.
        weights: those that the leading form depends on.
        proposition_widths: hidden widths of the paper's Proposition 2.
        corrected_widths: hidden widths sufficient to attain the ceiling.
        minimal_width: least equal hidden width that fills; None if there is none or it was not searched (see
            `notes`).
        depth_bound: Theorem 1: least depth of a plain network; None for a plain network or r = 1.
        plain_depth: least depth at which a plain network has room for this dimension; None if no depth has.
        width_ratio: Theorem 2: `2^tau` for each hidden layer.
        least_widths: the narrowest network of this kind and depth, of equal hidden widths, with at least this
            dimension.
        least_parameters: its parameters, biases included.
        equal_widths: the narrowest network of the other kind with at least this dimension, no shallower than
            this one.
        equal_parameters: its parameters, biases included.
        notes: what was not computed or is out of the ordinary, one line each.
    """

    widths: tuple[int, ...]
    kind: Kind
    last: Last
    activation: int
    degree: int
    dimension: int
    ambient: int
    ceiling: int
    bound: int
    filling: bool
    proven: bool
    ranks: tuple[tuple[int, int], ...]
    parameters: int
    weights: int
    proposition_widths: tuple[int, ...]
    corrected_widths: tuple[int, ...]
    minimal_width: int | None
    depth_bound: float | None
    plain_depth: int | None
    width_ratio: tuple[int, ...]
    least_widths: tuple[int, ...] | None
    least_parameters: int | None
    equal_widths: tuple[int, ...] | None
    equal_parameters: int | None
    notes: tuple[str, ...]


def _minimal_width(architecture: Architecture, seed: int) -> tuple[int | None, list[str]]:
    """Least equal hidden width that fills, or why there is none."""
    if architecture.depth == 1:
        return None, ["no hidden layer: no width to choose"]
    if architecture.ceiling < architecture.ambient:
        return None, ["no width fills: the last layer makes every output a product of two forms"]
    if architecture.ambient > SEARCH_LIMIT:
        return None, [
            f"minimal width not searched: ambient dimension {architecture.ambient} > {SEARCH_LIMIT}"
        ]
    found = narrowest(architecture, architecture.ambient, seed=seed)
    assert found is not None, "the ambient dimension is the ceiling here, and some width attains it"
    return found.widths[1], []


def _equal(
    architecture: Architecture, target: int, seed: int
) -> tuple[Architecture | None, Architecture | None, list[str]]:
    """The narrowest networks of this and of the other kind with the same dimension, or why there is none."""
    kind: Kind = "plain" if architecture.kind == "qres" else "qres"
    if target > SEARCH_LIMIT:
        return None, None, [f"networks of equal dimension not searched: {target} > {SEARCH_LIMIT}"]
    least = narrowest(architecture, target, seed=seed)
    found = equal_dimension(architecture, target, kind, seed=seed)
    return least, found, [] if found else [f"no {kind} network of any depth has dimension {target}"]


def analyse(
    widths: Sequence[int],
    degree: int = 2,
    kind: Kind = "qres",
    last: Last = "quadratic",
    *,
    search: bool = True,
    seed: int = 0,
) -> Analysis:
    """What a network's leading variety is, by exact computation over two prime fields.

    Args:
        widths: `(d0, ..., dh)`, input and output included.
        degree: r of the activation `x -> x^r`; 1 is linear.
        kind: "qres" or "plain".
        last: the output layer of a quadratic network: "quadratic" as run, "linear" as in the paper's degree.
        search: whether to search the minimal width and the network of equal dimension, which takes longer.
        seed: of the random weights.
    """
    network = Architecture(tuple(widths), degree, kind, last)
    found = dimension(network, seed=seed)
    notes = [] if found.agree else [f"the ranks differ by prime: {found.by_prime}"]
    width, least, equal = None, None, None
    if search:
        width, why = _minimal_width(network, seed)
        least, equal, why_not = _equal(network, found.value, seed)
        notes += why + why_not
    return Analysis(
        widths=network.widths,
        kind=kind,
        last=last if kind == "qres" else "linear",
        activation=degree,
        degree=network.leading_degree,
        dimension=found.value,
        ambient=network.ambient,
        ceiling=network.ceiling,
        bound=network.bound,
        filling=found.value == network.ambient,
        proven=found.proven,
        ranks=found.by_prime,
        parameters=network.parameters,
        weights=network.weights,
        proposition_widths=proposition_widths(network),
        corrected_widths=corrected_widths(network),
        minimal_width=width,
        depth_bound=depth_bound(network) if kind == "qres" else None,
        plain_depth=least_depth(
            Architecture((network.inputs, network.outputs), degree, "plain"), found.value
        ),
        width_ratio=tuple(2**exponent for exponent in width_exponents(network)),
        least_widths=least.widths if least else None,
        least_parameters=least.parameters if least else None,
        equal_widths=equal.widths if equal else None,
        equal_parameters=equal.parameters if equal else None,
        notes=tuple(notes),
    )
