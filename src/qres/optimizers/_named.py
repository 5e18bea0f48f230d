"""Optimizers by name: `"adam:5000@0.01,lbfgs"` is 5000 iterations of one, at a rate of 0.01, then the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qres.runtime.errors import InputError
from qres.runtime.memory import memory_limit
from qres.runtime.registry import Registry

from ._adam import Adam
from ._base import Stage
from ._gauss_newton import LevenbergMarquardt
from ._lbfgs import LBFGS
from ._quasi_newton import BFGS, SSBFGS, SSBroyden
from ._stage import Factory, MissingOptimizer, WrappedOptimizer, registered_stage

_NO_LIMIT = "*"
OPTIMIZERS: Registry[Any] = Registry(
    "optimizer", {cls.name: cls for cls in (SSBroyden, SSBFGS, BFGS, Adam, LBFGS, LevenbergMarquardt)}
)
_ALIASES = {"lbfgsb": LBFGS.name}  # the paper's name for it


def register_optimizer(name: str, factory: Factory) -> None:
    """Give an optimizer a name, so that text such as `"name:500,ssbroyden"` may have it, in files, runs and sweeps.

    Args:
        name: lower-case letters, digits, `_`, `-` and `.`.
        factory: makes the optimizer from the number of its iterations, or from None where the text has none.
    """
    if name in _ALIASES:
        raise InputError(f"optimizer {name!r} is built in: choose another name")
    OPTIMIZERS.register(name, factory)


def parse_stages(text: str) -> tuple[Stage, ...]:
    """Stages in a row from text: names, each with `:iterations` and Adam with `@rate` if need be, between commas.

    With `:*`, a stage has no limit of its own; that is for the last one. A name in angle brackets stands for an
    optimizer that was given as an object, and has to be given again.
    """
    stages = [part.strip() for part in str(text).split(",")]
    return tuple(_parse(stage) for stage in stages)


def _parse(stage: str) -> Stage:
    what, at, rate = stage.partition("@")
    name, colon, count = what.partition(":")
    name = name.strip().lower()
    name = _ALIASES.get(name, name)
    options: dict[str, Any] = {}
    if colon:
        options["iterations"] = None if count.strip() == _NO_LIMIT else _whole(count, stage)
    if at and name != Adam.name:
        raise InputError(f"optimizer {stage!r}: only adam has a learning rate, {name} finds its own steps")
    if name.startswith("<") and name.endswith(">"):
        return MissingOptimizer(name[1:-1], **options)
    OPTIMIZERS.check(name)
    if name not in OPTIMIZERS.built_in:
        return registered_stage(name, OPTIMIZERS[name], options.get("iterations"))
    if at:
        options["learning_rate"] = _rate(rate, stage)
    return OPTIMIZERS[name](**options)


def _whole(count: str, stage: str) -> int:
    if not (count.strip().isascii() and count.strip().isdigit() and int(count) > 0):
        raise InputError(
            f"optimizer {stage!r}: iterations must be a whole number of 1 or more, or {_NO_LIMIT}, not {count!r}"
        )
    return int(count)


def _rate(rate: str, stage: str) -> float:
    try:
        return float(rate)
    except ValueError:
        raise InputError(f"optimizer {stage!r}: the learning rate must be a number, not {rate!r}") from None


def name_stages(stages: Sequence[Stage]) -> str:
    """The inverse of `parse_stages`; what has no text form stands by its name in angle brackets."""
    return ",".join(_name(stage) for stage in stages)


def _name(stage: Stage) -> str:
    limit = "" if stage.iterations is None else f":{stage.iterations}"
    if isinstance(stage, WrappedOptimizer) and stage.registered:
        return stage.name + limit
    text = _text(stage) if OPTIMIZERS.built_in.get(stage.name) is type(stage) else None
    return text if text is not None and _parse(text) == stage else f"<{stage.name}>{limit}"


def _text(stage: Stage) -> str:
    """Name, iterations and rate of a method that is built in, as far as they are not its defaults."""
    default = OPTIMIZERS[stage.name]()
    count = "" if stage.iterations == default.iterations else f":{stage.iterations or _NO_LIMIT}"
    rate = stage.learning_rate if isinstance(stage, Adam) else None
    return f"{stage.name}{count}" + ("" if rate in (None, Adam().learning_rate) else f"@{rate}")


def memory_bytes() -> int:
    """The memory that this process may have: of the machine, its container or its own limit."""
    return memory_limit()


def fit_to_memory(
    stages: Sequence[Stage], size: int, memory: int | None = None
) -> tuple[tuple[Stage, ...], str | None]:
    """The stages, with L-BFGS in place of any whose dense matrix would take over a quarter of the memory.

    The second value says so, or is None.
    """
    memory = memory_bytes() if memory is None else memory
    result, message = [], None
    for stage in stages:
        needed = stage.bytes_needed(size)
        if needed <= memory / 4:
            result.append(stage)
            continue
        result.append(LBFGS(iterations=stage.iterations))
        message = (
            f"{stage.name} would need {needed / 2**30:.1f} GiB for {size} parameters, "
            f"over a quarter of the {memory / 2**30:.0f} GiB here: {LBFGS.name} is used instead"
        )
    return tuple(result), message
