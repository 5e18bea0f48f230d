"""Adam, by optax."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qres.runtime.errors import number, whole_number

from ._base import check_iterations
from ._optax import OptaxMethod

if TYPE_CHECKING:
    import optax


@dataclass(frozen=True)
class Adam(OptaxMethod):
    """Adam with a constant learning rate, or one that halves every `halve_every` iterations (Kingma, Ba 2015)."""

    iterations: int | None = 5000
    learning_rate: float = 1e-3
    halve_every: int | None = None
    name: str = field(default="adam", init=False, repr=False)

    def __post_init__(self) -> None:
        check_iterations(self.iterations)
        number(self.learning_rate, "learning_rate", above=0)
        if self.halve_every is not None:
            whole_number(self.halve_every, 1, "halve_every")

    def rule(self) -> optax.GradientTransformation:
        """Adam's, with the schedule of its rate."""
        import optax

        rate = self.learning_rate
        if self.halve_every:
            rate = optax.exponential_decay(rate, self.halve_every, 0.5)
        return optax.adam(rate)
