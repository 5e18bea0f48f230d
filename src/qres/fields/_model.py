"""The model: a network and the raw values of the unknowns, and its parameters as one flat vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from qres.jets import Jet, Truncation, lift, namespace, positions, rows
from qres.native import Native, accelerated
from qres.networks import Network
from qres.posed.evaluator import Outputs, Transformed
from qres.problems import Problem


class Model(eqx.Module):
    """A network of any make, and the unknowns as the optimizer sees them."""

    network: Any
    unknowns: dict[str, Array]
    scales: tuple[tuple[float, float], ...] = eqx.field(static=True)  # offset and scale of each output
    units: tuple[float, ...] = eqx.field(
        static=True, default=()
    )  # of the unknowns, in their order; none: all 1

    @staticmethod
    def create(
        problem: Problem, network: Any, scales: Sequence[tuple[float, float]], units: Sequence[float]
    ) -> Model:
        """The network with every unknown at its start.

        Args:
            problem: whose fields and unknowns these are.
            network: of any make; its outputs are the raw fields.
            scales: offset and scale of each output.
            units: of the unknowns, in their order; none: all 1.
        """
        network = jax.tree.map(as_float64, network)
        if isinstance(network, Network) and not network.architecture.scaled:
            scales, units = [(0.0, 1.0)] * len(problem.fields), ()
        raw = {
            name: jnp.asarray(unknown.raw() if unit == 1.0 else unknown.raw() / unit)
            for (name, unknown), unit in zip(problem.unknowns.items(), units or _ones(problem), strict=True)
        }
        return Model(network, raw, tuple((float(a), float(b)) for a, b in scales), tuple(units))

    def flatten(self) -> tuple[Float[np.ndarray, " parameters"], Callable[[Any], Model]]:
        """All that is learnt as one vector, and the way back, from JAX's arrays or from NumPy's."""
        learnt, fixed = eqx.partition(self, eqx.is_inexact_array)
        leaves, structure = jax.tree.flatten(learnt)
        kinds = [(leaf.shape, leaf.dtype) for leaf in leaves]
        ends = np.cumsum([leaf.size for leaf in leaves]).tolist()

        def unflatten(vector: Any) -> Model:
            parts = [
                part.reshape(shape).astype(dtype)
                for part, (shape, dtype) in zip(
                    namespace(vector).split(vector, [0, *ends])[1:-1], kinds, strict=True
                )
            ]
            return eqx.combine(jax.tree.unflatten(structure, parts), fixed)

        return np.concatenate([np.ravel(leaf) for leaf in leaves] or [np.zeros(0)]), unflatten

    def accelerated(self) -> Model:
        """The same with native code for its network, where there is some: for values and gradients over many points."""
        if not isinstance(self.network, Network):
            return self
        return Model(accelerated(self.network), self.unknowns, self.scales, self.units)

    def jets(self, truncation: Truncation, points: Float[Array, "d n"]) -> Jet:
        """The network's outputs at points; one that is not made of our layers is differentiated by `lift`."""
        if isinstance(self.network, Network | Native):
            return self.network(positions(truncation, points))
        return lift(self.network, truncation, points)

    def parameters(self, problem: Problem) -> dict[str, Array | np.ndarray]:
        """The unknowns by name, where they belong, in the order of the problem; JAX sorts those of a pytree."""
        return {
            name: self.unknown(problem, name, self.unknowns[name])
            for name in problem.unknowns
            if name in self.unknowns
        }

    def unknown(self, problem: Problem, name: str, raw: Any) -> Any:
        """One of the unknowns, from what the optimizer sees."""
        unit = dict(zip(problem.unknowns, self.units, strict=False)).get(name, 1.0)
        return problem.unknowns[name].value(raw if unit == 1.0 else namespace(raw).asarray(raw * unit))


def _ones(problem: Problem) -> list[float]:
    return [1.0] * len(problem.unknowns)


def as_float64(leaf: Any) -> Any:
    """Weights that were made before JAX was told to use float64 are float32."""
    wrong = eqx.is_inexact_array(leaf) and leaf.dtype in (np.float32, np.float16)
    return leaf.astype(float) if wrong and jax.config.read("jax_enable_x64") else leaf


@dataclass(frozen=True)
class NetworkOutputs:
    """The outputs of a model's network, in their scales, as a source of raw fields.

    Through a network of our layers flow the coefficients of `through`, which may have highest ones combined.
    """

    fields: tuple[str, ...]
    model: Model
    through: Truncation | None = None

    def __call__(self, coordinates: Mapping[str, Any]) -> dict[str, Jet]:
        """Each output as a jet of one row."""
        truncation = next(iter(coordinates.values())).truncation
        points = jnp.concatenate([coordinate.value for coordinate in coordinates.values()])
        ours = isinstance(self.model.network, Network | Native)
        propagated = self.through if ours and self.through else truncation
        raw = self.model.jets(propagated, points).separated(truncation)
        return {
            name: _scaled(rows(raw, i, i + 1), *self.model.scales[i]) for i, name in enumerate(self.fields)
        }


def model_fields(
    problem: Problem,
    model: Model,
    through: Truncation | None = None,
    known: Mapping[str, Jet] | None = None,
) -> Transformed:
    """The fields of a model: the outputs of its network, and the ansatz of the problem.

    Args:
        problem: whose fields these are.
        model: the network and the unknowns.
        through: the truncation that flows through a network of our layers, where highest coefficients are combined.
        known: the problem's backgrounds at the points, where they have been computed before.
    """
    parameters = {**model.parameters(problem), **(known or {})}
    return Transformed(problem, problem.transform, NetworkOutputs(problem.fields, model, through), parameters)


def recorded_fields(problem: Problem) -> Transformed:
    """Recordings in place of the network outputs, behind the ansatz of the problem."""
    return Transformed(problem, problem.transform, Outputs.recorded(problem), problem.start)


def _scaled(output: Jet, offset: float, scale: float) -> Jet:
    return output if (offset, scale) == (0.0, 1.0) else output * scale + offset
