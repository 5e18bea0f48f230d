"""Results of the heuristics at the start of a run, kept in its folder and never computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from qres.fields import Model
from qres.networks import Architecture, Frequencies, Network
from qres.runtime.errors import InputError, check_keys


@dataclass(frozen=True)
class Start:
    """The scales that a run trains in.

    Args:
        scales: offset and scale of each network output.
        units: of the unknowns, in their order.
        sizes: of the residuals, by term of the loss.
        frequencies: of the Fourier features where they come from the measurements; None otherwise.
        features: of time windows, where these have been chosen; None otherwise.
    """

    scales: tuple[tuple[float, float], ...]
    units: tuple[float, ...]
    sizes: Mapping[str, float]
    frequencies: Frequencies | None
    features: Mapping[str, Any] | None = None

    @staticmethod
    def of(model: Model, sizes: Mapping[str, float], architecture: Architecture) -> Start:
        """That of a model as it is made, and of its residuals."""
        found = None
        if isinstance(model.network, Network) and architecture.fourier_from == "data":
            found = model.network.embedding.frequencies
        return Start(model.scales, model.units, dict(sizes), found)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON, in which every number has all its digits."""
        return asdict(self)

    @staticmethod
    def from_dict(state: Any) -> Start:
        """The inverse of `to_dict`."""
        found = check_keys(state, Start.__dataclass_fields__, "the start of the run")
        waves = found["frequencies"]
        return Start(
            tuple((float(offset), float(scale)) for offset, scale in found["scales"]),
            tuple(map(float, found["units"])),
            {name: float(size) for name, size in found["sizes"].items()},
            None if waves is None else tuple(tuple(map(float, wave)) for wave in waves),
            found.get("features"),
        )

    def sizes_of(self, names: Mapping[str, float]) -> dict[str, float]:
        """The sizes of the residuals with these names, which must be those of the run."""
        if set(names) != set(self.sizes):
            raise InputError("the run folder is of a run with other residuals")
        return dict(self.sizes)
