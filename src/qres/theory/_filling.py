"""Proposition 2 and Theorem 2 of the paper over tables of architectures, and the networks it trains."""

from __future__ import annotations

from ._architecture import Architecture, Kind, Last, forms
from ._check import Check, fraction, listing
from ._comparison import width_exponents
from ._dimension import dimension
from ._widths import corrected_widths, narrowest, proposition_widths

LEAST_COLUMNS = ("least plain width", "least quadratic width")

# (inputs, depth, outputs, r)
FILLING_CASES = (
    (1, 2, 1, 2), (1, 3, 1, 2),
    (2, 2, 1, 2), (2, 2, 1, 3), (2, 2, 2, 2), (2, 3, 1, 2), (2, 3, 2, 2), (2, 3, 1, 3),
    (2, 4, 1, 2), (2, 4, 2, 2),
    (3, 2, 1, 2), (3, 2, 1, 3), (3, 2, 2, 2), (3, 3, 1, 2), (3, 3, 1, 3), (3, 3, 2, 2),
    (4, 2, 1, 2), (4, 2, 1, 3),
)  # fmt: skip


def _bare(
    inputs: int, depth: int, outputs: int, degree: int, kind: Kind, last: Last = "linear"
) -> Architecture:
    """A network whose hidden widths are still to be chosen."""
    return Architecture((inputs, *(1,) * (depth - 1), outputs), degree, kind, last)


def _least(network: Architecture) -> int:
    """Least equal hidden width that fills."""
    found = narrowest(network, network.ambient)
    assert found is not None, "without a quadratic last layer some width fills"
    return found.widths[1]


def check_filling_widths() -> Check:
    """Proposition 2: the hidden widths of `proposition_widths` fill, plain and quadratic networks alike."""
    rows, holds = [], []
    for inputs, depth, outputs, degree in FILLING_CASES:
        plain = _bare(inputs, depth, outputs, degree, "plain")
        quadratic = _bare(inputs, depth, outputs, degree, "qres")
        stated = plain.with_hidden(proposition_widths(plain))
        doubled = quadratic.with_hidden(stated.widths[1:-1])
        fixed = quadratic.with_hidden(corrected_widths(quadratic))
        found = dimension(stated).value, dimension(doubled).value
        cells = [
            str(stated),
            str(degree),
            f"{found[0]} / {stated.ambient}",
            f"{found[1]} / {doubled.ambient}",
        ]
        cells += [str(fixed), fraction(fixed), str(_least(plain)), str(_least(quadratic))]
        rows.append(tuple(cells))
        holds.append(found == (stated.ambient, doubled.ambient))
    return Check(
        "Proposition 2",
        "with these hidden widths the plain and the quadratic network of degree r fill",
        "true for the plain network; for the quadratic one with 2r for r; the exponent i (d0 - 1) is enough",
        (*("widths", "r", "plain", "quadratic", "corrected widths", "quadratic, corrected"), *LEAST_COLUMNS),
        tuple(rows),
        tuple(holds),
    )


# (inputs, depth, degrees)
RATIO_CASES = (
    (1, 2, (2, 16)), (2, 2, (2, 4, 8, 16, 32, 64)), (3, 2, (2, 4, 8, 16, 32)), (4, 2, (2, 4, 8, 12)),
    (2, 3, (2, 4, 8, 16)), (3, 3, (2, 4, 6)),
)  # fmt: skip


def check_width_ratio() -> Check:
    """Theorem 2: a filling plain network is `2^tau` times wider than a quadratic one of its dimension.

    Read once with the widths of Proposition 2 as the minimal ones, as the paper does, and once with the least
    width that fills.
    """
    rows, holds = [], []
    for inputs, depth, degrees in RATIO_CASES:
        for degree in degrees:
            plain, target = _bare(inputs, depth, 1, degree, "plain"), forms(inputs, degree ** (depth - 1))
            claimed = [2**exponent for exponent in width_exponents(plain)]
            least, other = _least(plain), narrowest(_bare(inputs, depth, 1, degree, "qres"), target)
            assert other is not None, "the quadratic network has the larger ambient space"
            width = other.widths[1]
            stated = [given / width for given in proposition_widths(plain)]
            reached = all(ratio >= factor for ratio, factor in zip(stated, claimed, strict=True))
            cells = [
                inputs,
                depth,
                degree,
                target,
                listing(claimed),
                listing(stated),
                "yes" if reached else "no",
            ]
            cells += [least, width, listing([least / width])]
            rows.append(tuple(map(str, cells)))
            holds.append(least / width >= max(claimed))
    return Check(
        "Theorem 2",
        "the hidden widths of the plain network are 2^tau times those of a quadratic one of its dimension",
        "for h = 2 the ratio of least widths tends to (2 d0 - 1)/d0 < 2 as r grows: no power of two",
        (
            *("d0", "h", "r", "dimension", "2^tau", "stated / quadratic", "at least 2^tau"),
            *LEAST_COLUMNS,
            "ratio",
        ),
        tuple(rows),
        tuple(holds),
    )


# The paper's networks with two or three inputs: (problem, kind, inputs, hidden width, hidden layers, outputs)
PAPER_NETWORKS: tuple[tuple[str, Kind, int, int, int, int], ...] = (
    ("Burgers, PINN", "plain", 2, 20, 8, 1),
    ("Burgers, QRes-lite", "qres", 2, 10, 8, 1),
    ("Burgers, QRes-full", "qres", 2, 14, 8, 1),
    ("Schrödinger, PINN", "plain", 2, 100, 4, 2),
    ("Schrödinger, QRes", "qres", 2, 50, 4, 2),
    ("N-S error map, PINN", "plain", 3, 20, 4, 2),
    ("N-S error map, QRes", "qres", 3, 14, 4, 2),
    ("waves, DNN", "plain", 2, 128, 3, 1),
    ("waves, QRes", "qres", 2, 90, 3, 1),
)


def survey_paper_networks(degree: int = 2) -> Check:
    """Dimensions of the networks the paper trains, as run (quadratic last layer).

    Args:
        degree: r of the activation; tanh has none, 2 is the least that is not linear.
    """
    rows = []
    for problem, kind, inputs, width, layers, outputs in PAPER_NETWORKS:
        network = Architecture((inputs, *(width,) * layers, outputs), degree, kind)
        widths = f"{inputs},{width}×{layers},{outputs}"
        cells = (network.parameters, network.leading_degree, dimension(network).value, network.ambient)
        rows.append((problem, widths, *map(str, cells)))
    return Check(
        "The paper's networks",
        f"dimensions with an activation of degree r = {degree}, the last layer as it is run",
        "",
        ("network", "widths", "parameters", "degree", "dimension", "ambient"),
        tuple(rows),
        (),
    )
