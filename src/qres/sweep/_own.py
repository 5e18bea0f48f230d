"""Python objects of a job that no file holds: a problem with functions, a network, optimizers, loss terms."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from qres.fields import as_float64
from qres.loss import function_target
from qres.networks import Architecture, initialized
from qres.optimizers import Stage, as_stage, name_stages
from qres.posed.evaluator import Terms, find_terms, name_terms
from qres.problems import Problem, term_fingerprints
from qres.runtime.errors import InputError, shorten
from qres.runtime.jax_config import configure
from qres.runtime.random import stream
from qres.solution import network_bytes

_STEPS = 3


@dataclass(frozen=True, eq=False)
class Own:
    """Objects of the user's own, which the runs of a sweep have in common; each is None where there is none.

    Args:
        problem: given as an object, of text or of functions.
        network: a module, or a function of `key` that creates one.
        optimizer: an object that follows `qres.extend.Optimizer`, or several in a list.
        terms: objects that follow `qres.extend.Term`, by name; or registered names.
    """

    problem: Problem | None = None
    network: Any = None
    optimizer: Any = None
    terms: Terms | None = None

    def __post_init__(self) -> None:
        if self.network is not None and not callable(self.network):
            raise InputError(
                f"network must be a network, a function of key, an Architecture or a kind, not "
                f"{shorten(repr(self.network))}"
            )

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The optimizers as stages of a run."""
        given = self.optimizer if isinstance(self.optimizer, list | tuple) else (self.optimizer,)
        return () if self.optimizer is None else tuple(as_stage(stage) for stage in given)

    def overrides(self) -> dict[str, dict[str, Any]]:
        """How a specification names these objects, by section."""
        found: dict[str, dict[str, Any]] = {}
        if self.stages:
            found["optimizer"] = {"stages": name_stages(self.stages)}
        if self.terms is not None:
            found["training"] = {"terms": list(name_terms(self.terms))}
        return found

    def only_here(self, specification: Any) -> str | None:
        """What of a run no other process knows, or None where it can be run anywhere."""
        if not specification.problem.is_text:
            return f"problem {specification.problem.name!r} has functions that could not be traced"
        if self.network is not None:
            return "its network is an object"
        if "<" in specification.stages:
            return f"optimizer {specification.stages} is an object"
        unnamed = [name for name in specification.terms if name.startswith("<")]
        return f"term {unnamed[0]} is an object" if unnamed else None

    def options(self, *, training: bool = True) -> dict[str, Any]:
        """What `resume` must be given again, or without `training` what `load` must."""
        functions = self.problem is not None and not self.problem.is_text
        found = {"problem": self.problem if functions else None, "network": self.network}
        return found | ({"optimizer": self.optimizer, "terms": self.terms} if training else {})

    def network_file(self, seed: int) -> bytes | None:
        """The weights that a run with this seed begins with."""
        if self.network is None:
            return None
        configure()
        made = initialized(self.network, stream(seed, "weights", 0))
        return network_bytes(jax.tree.map(as_float64, made))

    def term_values(self, problem: Problem) -> dict[str, list[float]]:
        """The loss terms by values at fixed points."""
        named = () if self.terms is None else name_terms(self.terms)
        return term_fingerprints(problem, find_terms(named, self.terms))

    def fingerprint(self, problem: Problem, seed: int) -> dict[str, Any]:
        """What these objects compute, for the key of a job: another learning rate or formula is another run."""
        found: dict[str, Any] = {}
        if self.problem is not None and not problem.is_text:
            found["problem"] = _rounded(problem.fingerprint())
        if self.problem is not None and problem.data:
            found["data"] = [_digest(data.columns) for data in problem.data]
        if (network := self.network_file(seed)) is not None:
            found["network"] = hashlib.sha256(network).hexdigest()
        if self.stages:
            found["optimizer"] = self._steps
        if self.terms is not None:
            found["terms"] = _rounded(self.term_values(problem))
        return found

    @cached_property
    def _steps(self) -> list[list[str]]:
        """Where a few iterations of each optimizer lead on a fixed quadratic form."""
        configure()
        target = function_target(lambda x: jnp.sum(jnp.arange(1.0, 4.0) * (x - 0.3) ** 2), 3)
        found = []
        for stage in self.stages:
            state = stage.init(target, jnp.ones(3), {})
            found.append(np.asarray(stage.step(target, state, {}, _STEPS).theta))
        return [[f"{value:.9e}" for value in theta] for theta in found]


def split_network(network: Any) -> tuple[Any, dict[str, Any]]:
    """A network of the user's own, or None; and the section `[network]` of one that is described."""
    if isinstance(network, str):
        return None, {"kind": network}
    if isinstance(network, Architecture):
        return None, {key: value for key, value in network.to_dict().items() if value is not None}
    return network, {}


def _rounded(values: Mapping[str, list[float]]) -> dict[str, list[str]]:
    return {name: [f"{value:.9e}" for value in found] for name, found in values.items()}


def _digest(columns: Mapping[str, np.ndarray]) -> str:
    content = hashlib.sha256()
    for name in sorted(columns):
        content.update(name.encode() + np.ascontiguousarray(columns[name]).tobytes())
    return content.hexdigest()
