"""Proposition 1, Lemma 1 and Theorem 1 of the paper, each over a table of architectures."""

from __future__ import annotations

from itertools import product
from math import log

from ._architecture import Architecture, Last
from ._check import Check
from ._comparison import depth_bound, equal_dimension
from ._dimension import dimension
from ._widths import narrowest


def check_single_layer() -> Check:
    """Proposition 1: a single linear quadratic layer has `Sym_2(R^d0)^d1` as its leading space."""
    rows, holds = [], []
    for inputs, outputs in product(range(1, 7), (1, 2)):
        network = Architecture((inputs, outputs), activation=1)
        found = dimension(network).value
        rows.append((str(network), str(found), str(network.ambient)))
        holds.append(found == network.ambient)
    return Check(
        "Proposition 1",
        "a single quadratic layer (d0, d1) with linear activation fills the quadratic forms",
        "its variety has dimension d1 (2 d0 - 1): it fills for d0 <= 2, its real functions for d0 = 1",
        ("widths", "dimension", "d1 dim Sym₂"),
        tuple(rows),
        tuple(holds),
    )


LEMMA_HIDDEN = ((1,), (2,), (3,), (2, 2), (3, 3), (3, 2))


def check_degree_doubling() -> Check:
    """Lemma 1: the quadratic network of degree r and the plain one of degree 2r, `V²_(d,r) = V_(d,2r)`.

    Both are irreducible and the right is contained in the left, so equality is equality of dimensions.
    """
    rows, holds = [], []
    cases = [*product((1, 2, 3), LEMMA_HIDDEN, (1, 2), (1,)), *product((2, 3), LEMMA_HIDDEN[1:4], (1,), (2,))]
    for inputs, hidden, outputs, degree in (*cases, (2, (2,), 4, 1), (2, (3,), 1, 2), (2, (4,), 2, 2)):
        quadratic = Architecture((inputs, *hidden, outputs), degree, "qres", "linear")
        plain = Architecture(quadratic.widths, 2 * degree, "plain")
        ours, theirs = dimension(quadratic).value, dimension(plain).value
        row = (str(quadratic), str(degree), str(ours), str(theirs), str(plain.ambient))
        if row not in rows:
            rows.append(row)
            holds.append(ours == theirs)
    return Check(
        "Lemma 1",
        "the leading varieties of the quadratic network of degree r and the plain one of degree 2r are equal",
        "V_(d,2r) ⊆ V²_(d,r), equal exactly where the dimensions are; so always where the plain one fills",
        ("widths", "r", "dim V²_(d,r)", "dim V_(d,2r)", "ambient"),
        tuple(rows),
        tuple(holds),
    )


def _depth_case(inputs: int, depth: int, degree: int, last: Last) -> tuple[tuple[str, ...], bool]:
    """A row of Theorem 1: the narrowest filling quadratic network, the shallowest plain one as expressive."""
    bare = Architecture((inputs, *(1,) * (depth - 1), 1), degree, "qres", last)
    network = narrowest(bare, bare.ambient)
    assert network is not None, "the table asks only for networks that can fill"
    plain = equal_dimension(Architecture((inputs, 1, 1), degree, "plain"), network.ambient, "plain")
    bound = depth_bound(network)
    assert plain is not None and bound is not None, "r >= 2: some depth has room"
    # In one variable all forms are multiples of one, whatever the degree; the theorem asks for two layers.
    true = 1 + log(network.leading_degree) / log(degree) if inputs > 1 else 2
    sizes = [f"{one} ({one.parameters})" for one in (network, plain)]
    cells = (last, str(degree), sizes[0], str(network.ambient), f"{bound:.2f}", f"{true:.2f}", sizes[1])
    return cells, plain.depth >= bound - 1e-9


def check_depth() -> Check:
    """Theorem 1: a plain network as expressive as a filling quadratic one is deeper.

    `h_n >= 1 + (1 + log 2 / log r)(h_q - 1)`
    """
    lasts: tuple[tuple[Last, tuple[int, ...]], ...] = (("linear", (1, 2, 3)), ("quadratic", (1, 2)))
    cases = [_depth_case(*case, last) for last, inputs in lasts for case in product(inputs, (2, 3), (2, 3))]
    rows, holds = zip(*cases, strict=True)
    return Check(
        "Theorem 1",
        "a plain network as expressive as a filling quadratic one has h_n >= 1 + (1 + log 2/log r)(h_q - 1)",
        "true for d0 >= 2, where h_n >= 1 + log(degree)/log r holds for either last layer; false for d0 = 1",
        ("last layer", "r", "quadratic (parameters)", "dimension", "h_n", "corrected", "plain (parameters)"),
        rows,
        holds,
    )
