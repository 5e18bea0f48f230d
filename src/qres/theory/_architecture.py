"""Architectures in the theory: widths, activation degree, kind, and parameter counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal, get_args

from qres.runtime.errors import InputError

Kind = Literal["qres", "plain"]
Last = Literal["quadratic", "linear"]


def forms(variables: int, degree: int) -> int:
    """Dimension of the space of homogeneous polynomials.

    `dim Sym_n(R^d) = binom(n + d - 1, n)`

    Args:
        variables: d, one or more.
        degree: n, zero or more.
    """
    return comb(degree + variables - 1, variables - 1)


@dataclass(frozen=True)
class Architecture:
    """A network with activation `x -> x^r`, of which only the part of highest degree is kept.

    plain: `y_i = (W y)^r`; quadratic: `y_i = (W1 y * W2 y)^r`; no activation on the last layer.

    Args:
        widths: `(d0, ..., dh)`, input and output included.
        activation: r, the leading degree of the activation; 1 is linear.
        kind: "qres" or "plain".
        last: the output layer of a quadratic network: "quadratic" as run, "linear" as in the paper's degree.

    Source: Kileel, Trager and Bruna (2019); the paper's section "Theoretical Analyses".
    """

    widths: tuple[int, ...]
    activation: int = 2
    kind: Kind = "qres"
    last: Last = "quadratic"

    def __post_init__(self) -> None:
        """Refuse what is no architecture."""
        if len(self.widths) < 2 or any(width < 1 for width in self.widths):
            raise InputError(f"widths={self.widths}: at least an input and an output, each 1 or more")
        if self.activation < 1:
            raise InputError(
                f"degree={self.activation}: the activation's degree is a whole number, 1 or more"
            )
        if self.kind not in get_args(Kind):
            raise InputError(f"kind={self.kind!r}: one of {', '.join(get_args(Kind))}")
        if self.last not in get_args(Last):
            raise InputError(f"last={self.last!r}: one of {', '.join(get_args(Last))}")

    @property
    def inputs(self) -> int:
        """Number of variables, d0."""
        return self.widths[0]

    @property
    def outputs(self) -> int:
        """Number of outputs, dh."""
        return self.widths[-1]

    @property
    def depth(self) -> int:
        """Number of layers of weights, h."""
        return len(self.widths) - 1

    @property
    def quadratic_layers(self) -> tuple[bool, ...]:
        """Which layers multiply two linear maps, first to last."""
        hidden = self.kind == "qres"
        return (hidden,) * (self.depth - 1) + (hidden and self.last == "quadratic",)

    @property
    def leading_degree(self) -> int:
        """Degree of the leading form.

        Plain `r^(h-1)`; quadratic `(2r)^(h-1)` with a linear last layer, `2 (2r)^(h-1)` with a quadratic one.
        """
        factor = 2 if self.kind == "qres" else 1
        return (factor * self.activation) ** (self.depth - 1) * (2 if self.quadratic_layers[-1] else 1)

    @property
    def ambient(self) -> int:
        """Dimension of the space the leading forms live in: `dh binom(deg + d0 - 1, deg)`."""
        return self.outputs * forms(self.inputs, self.leading_degree)

    @property
    def ceiling(self) -> int:
        """The largest dimension any hidden width can attain.

        With a quadratic last layer every output is a product of two forms of half the degree, so
        `dh (2 binom(deg/2 + d0 - 1, deg/2) - 1)`: less than the ambient dimension from three inputs on.
        With a linear one, the ambient dimension.
        """
        if not self.quadratic_layers[-1]:
            return self.ambient
        return self.outputs * (2 * forms(self.inputs, self.leading_degree // 2) - 1)

    @property
    def weights(self) -> int:
        """Number of weights that the leading form depends on: no bias is among them."""
        pairs = zip(self.widths[1:], self.widths[:-1], self.quadratic_layers, strict=True)
        return sum((1 + quadratic) * rows * columns for rows, columns, quadratic in pairs)

    @property
    def parameters(self) -> int:
        """Number of trainable parameters, biases included."""
        return self.weights + sum(self.widths[1:])

    @property
    def free_weights(self) -> int:
        """Weights less the scalings that change nothing: an upper bound of the dimension.

        Each hidden unit can be scaled, a quadratic one by both of its rows, and undone in the next layer; the
        two rows of a quadratic output can be scaled against each other.
        """
        return self._free_weights_after(0, self.inputs)

    def _free_weights_after(self, layer: int, inputs: int) -> int:
        """Free weights of the layers after one, fed by `inputs` functions instead of its units."""
        widths = (inputs, *self.widths[layer + 1 :])
        factors = [1 + quadratic for quadratic in self.quadratic_layers[layer:]]
        weights = sum(f * n * m for f, n, m in zip(factors, widths[1:], widths[:-1], strict=True))
        scalings = sum(f * width for f, width in zip(factors, widths[1:-1], strict=False))
        return weights - scalings - (factors[-1] - 1) * self.outputs

    @property
    def bound(self) -> int:
        """Upper bound of the dimension by counting.

        The layers after layer k see it only through the span of its units, `e = min(d_k, N)` dimensions of
        the N of forms of its degree. Such spans make up `e (N - e)` dimensions. So the bound is the least,
        over k and with the ceiling, of `e (N - e) + free weights of (e, d_(k+1), ..., d_h)`; k = 0 gives the
        free weights themselves.
        """
        growth = self.activation * (2 if self.kind == "qres" else 1)
        counts = [self.ceiling]
        for layer in range(self.depth):
            space = forms(self.inputs, growth**layer)
            span = min(self.widths[layer], space)
            counts.append(span * (space - span) + self._free_weights_after(layer, span))
        return min(counts)

    def with_hidden(self, hidden: Sequence[int]) -> Architecture:
        """The same inputs, outputs, activation and kind, with other hidden widths (and so another depth)."""
        widths = (self.inputs, *hidden, self.outputs)
        return Architecture(widths, self.activation, self.kind, self.last)

    def as_kind(self, kind: Kind) -> Architecture:
        """The same widths and activation, plain or quadratic."""
        return Architecture(self.widths, self.activation, kind, self.last)

    def __str__(self) -> str:
        """The widths, as on the command line."""
        return ",".join(map(str, self.widths))
