"""Generated C++: products and tanh of the series of one truncation.

With all indices known to the compiler, the series of a neuron stay in registers from the products of its weights to
its output.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from qres.jets import Truncation

Terms = Iterable[tuple[float, str, str]]


def series_source(truncation: Truncation, *, quadratic: bool, bias_inside: bool, shortcut: bool) -> str:
    """The text of `series.h`."""
    return "\n".join(
        [
            f"#define COEFFICIENTS {len(truncation)}",
            f"#define QUADRATIC {int(quadratic)}",
            f"#define BIAS_INSIDE {int(bias_inside)}",
            f"#define SHORTCUT {int(shortcut)}",
            _function("product", "const Vector* a, const Vector* b, Vector* z", _product(truncation)),
            _function(
                "product_reverse", "const Vector* a, const Vector* dz, Vector* db", _reverse(truncation)
            ),
            _function("tanh_slope", "const Vector* y, Vector* s", _slope(truncation)),
            _function("tanh_series", "const Vector* z, Vector* y", _tanh(truncation)),
            "",
        ]
    )


def _function(name: str, arguments: str, lines: Iterable[str]) -> str:
    return "\n  ".join([f"INLINE void {name}({arguments}) {{", *lines]) + "\n}"


def _sum(terms: Terms) -> str:
    """`c a b + …`; a factor of one is left out."""
    return " + ".join(f"{a}*{b}" if c == 1 else f"real({float(c)!r})*{a}*{b}" for c, a, b in terms)


def _product(truncation: Truncation) -> list[str]:
    """`z_k = Σ a_i b_j`."""
    return [
        f"z[{k}] = {_sum((c, f'a[{i}]', f'b[{j}]') for c, i, j in terms)};"
        for k, terms in enumerate(truncation.products)
    ]


def _reverse(truncation: Truncation) -> list[str]:
    """What `z = a b` makes of dz: `db_j = Σ dz_k a_i`; the same for either factor."""
    found: dict[int, list[tuple[float, str, str]]] = defaultdict(list)
    for k, terms in enumerate(truncation.products):
        for c, i, j in terms:
            found[j].append((c, f"dz[{k}]", f"a[{i}]"))
    return [f"db[{j}] = {_sum(found[j])};" for j in range(len(truncation))]


def _square(truncation: Truncation, k: int) -> str:
    """`Σ y_i y_j`, equal terms taken once."""
    terms = [(c if i == j else 2 * c, f"y[{i}]", f"y[{j}]") for c, i, j in truncation.products[k] if i <= j]
    return _sum(terms)


def _slope(truncation: Truncation) -> list[str]:
    """`s = 1 - y²`."""
    return [
        f"s[{k}] = {'1 - ' if k == 0 else '-'}({_square(truncation, k)});" for k in range(len(truncation))
    ]


def _tanh(truncation: Truncation) -> list[str]:
    """`∂y = s ∂z`, where each coefficient of s follows from those of y so far."""
    lines = ["Vector s[COEFFICIENTS];", "y[0] = tanh_of(z[0]);"]
    slopes = _slope(truncation)
    for k, terms in enumerate(truncation.integrals):
        if k > 0:
            lines.append(f"y[{k}] = {_sum((c, f'z[{i}]', f's[{j}]') for c, i, j in terms)};")
        if k < len(truncation) - 1:
            lines.append(slopes[k])
    return lines
