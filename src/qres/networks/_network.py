"""Networks: an embedding followed by layers of one family; and their description, `Architecture`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import equinox as eqx
import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from qres.jets import ACTIVATIONS, Rows, identity
from qres.runtime.errors import InputError, check_keys, number, one_of, whole_number
from qres.runtime.jax_config import configure
from qres.runtime.random import generator

from ._embedding import Embedding
from ._frequencies import Frequencies, random_frequencies
from ._kinds import ALIASES, FAMILIES
from ._layers import INITIALIZERS


class Domain(Protocol):
    """What a network must know of a problem: its box, which coordinates are periodic, its fields."""

    @property
    def coordinates(self) -> tuple[str, ...]: ...
    @property
    def lower(self) -> tuple[float, ...]: ...
    @property
    def upper(self) -> tuple[float, ...]: ...
    @property
    def periodic(self) -> tuple[str, ...]: ...
    @property
    def fields(self) -> tuple[str, ...]: ...


_MOST = 100_000  # of anything: a larger number is a mistake


@dataclass(frozen=True)
class Architecture:
    """What a network is, without its weights: enough to build it again, and all plain data.

    `kind` and `activation` are names, of users' own too once registered (`qres.extend`). There are
    `width` × `depth` hidden layers, or explicit hidden widths in `hidden`. Fourier features are random waves, or with
    `fourier_from = "data"` those that are strongest in the measurements. Unless `scaled` is false, outputs are scaled
    to what data and conditions say of the fields' size, where that is not of order one.
    """

    kind: str = "qres"
    width: int = 20
    depth: int = 4
    hidden: tuple[int, ...] | None = None
    activation: str = "tanh"
    initializer: str = "xavier"
    scaled: bool = True
    harmonics: int = 2
    periodic_embedding: bool = True
    fourier_features: int = 0
    fourier_scale: float = 1.0
    fourier_from: str = "random"
    bias_inside: bool = False
    quadratic_scale: float = 1.0
    n: float = 5.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", ALIASES.get(str(self.kind).lower(), str(self.kind).lower()))
        FAMILIES.check(self.kind)
        ACTIVATIONS.check(self.activation)
        one_of(self.initializer, INITIALIZERS, "initializer")
        one_of(self.fourier_from, ("random", "data"), "fourier_from")
        for name in ("scaled", "periodic_embedding", "bias_inside"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} must be true or false, not {getattr(self, name)!r}")
        counts = [(name, getattr(self, name), 1) for name in ("width", "depth", "harmonics")]
        counts.append(("fourier_features", self.fourier_features, 0))
        number(self.fourier_scale, "fourier_scale")
        number(self.quadratic_scale, "quadratic_scale")
        number(self.n, "n", above=0)
        if self.hidden is not None:
            if not isinstance(self.hidden, list | tuple) or not self.hidden:
                raise InputError(f"hidden must be a list of one width or more, not {self.hidden!r}")
            object.__setattr__(self, "hidden", tuple(self.hidden))
            counts += [("each hidden width", width, 1) for width in self.hidden]
        for name, count, least in counts:
            if whole_number(count, least, name) > _MOST:
                raise InputError(f"{name} must be at most {_MOST}, not {count}")

    @property
    def hidden_widths(self) -> tuple[int, ...]:
        """The widths of the hidden layers."""
        return self.hidden if self.hidden is not None else (self.width,) * self.depth

    def to_dict(self) -> dict[str, Any]:
        """Plain data, defaults included: they may change, and what was saved stays what it was."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @staticmethod
    def from_dict(table: dict[str, Any]) -> Architecture:
        """The inverse of `to_dict`; an unknown key is an error."""
        return replace(Architecture(), **check_keys(table, Architecture.__dataclass_fields__, "[network]"))

    def build(self, domain: Domain, *, key: PRNGKeyArray, frequencies: Frequencies | None = None) -> Network:
        """A network with random weights for the coordinates and fields of a problem.

        Its Fourier features have the given frequencies, or where there are none, random ones.
        """
        configure()
        random = generator(key)
        embedding = self._embedding(domain, random, frequencies)
        widths = (embedding.width, *self.hidden_widths, len(domain.fields))
        return Network(embedding, self._layers(widths, random), self)

    def is_wave(self, domain: Domain) -> tuple[bool, ...]:
        """For each coordinate, whether it enters the network as waves of its period."""
        return tuple(name in domain.periodic and self.periodic_embedding for name in domain.coordinates)

    def _embedding(
        self, domain: Domain, random: np.random.Generator, frequencies: Frequencies | None
    ) -> Embedding:
        waves = self.is_wave(domain)
        if frequencies is None:
            if self.fourier_features and self.fourier_from == "data":
                raise InputError(
                    "fourier_from = 'data': the frequencies come from measurements, which a problem has"
                )
            frequencies = random_frequencies(random, self.fourier_features, self.fourier_scale, waves)
        harmonics = tuple(self.harmonics if wave else 0 for wave in waves)
        return Embedding(tuple(domain.lower), tuple(domain.upper), harmonics, frequencies)

    def _layers(self, widths: tuple[int, ...], random: np.random.Generator) -> tuple[Any, ...]:
        family, weights = FAMILIES[self.kind], INITIALIZERS[self.initializer]
        activation = ACTIVATIONS[self.activation]
        activation.verify()
        options = {name: getattr(self, name) for name in family.options}
        output_options = {name: getattr(self, name) for name in family.output_options}
        hidden = [
            family.hidden(random, widths[i], widths[i + 1], activation, weights, **options)
            for i in range(len(widths) - 2)
        ]
        output = family.output(random, widths[-2], widths[-1], identity, weights, **output_options)
        return (*hidden, output)


@jax.jit
def _through(layer: Any, z: Rows) -> Rows:
    """A layer's output: traced once for all layers of a shape, and compiled into one program with them."""
    return layer(z)


class Network(eqx.Module):
    """Coordinates to fields, `(d, points) → (fields, points)`, of arrays or of jets."""

    embedding: Embedding
    layers: tuple[Any, ...]
    architecture: Architecture = eqx.field(static=True)

    def __call__(self, x: Rows) -> Rows:
        """The fields at points, features first."""
        z = self.embedding(x)
        for layer in self.layers:
            z = _through(layer, z)
        return z

    @property
    def widths(self) -> tuple[int, ...]:
        """Coordinates, features, hidden layers and outputs, as the paper writes them."""
        outputs = jax.tree.leaves(self.layers[-1])[0].shape[0]
        return (len(self.embedding.lower), *self.architecture.hidden_widths, outputs)

    @property
    def parameters(self) -> int:
        """How many numbers there are to learn."""
        return count_parameters(self)


def count_parameters(network: Any) -> int:
    """How many numbers there are to learn in a network of any make."""
    return sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(network, eqx.is_inexact_array)))
