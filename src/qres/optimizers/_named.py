"""Optimizers by name: `"adam:5000@0.01,lbfgsb"` is 5000 iterations of one, at a rate of 0.01, then the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qres.runtime.errors import InputError, one_of
from qres.runtime.memory import memory_limit

from ._adam import Adam
from ._base import Optimizer
from ._gauss_newton import LevenbergMarquardt
from ._lbfgsb import LBFGSB
from ._quasi_newton import BFGS, SSBFGS, SSBroyden

_NO_LIMIT = "*"
OPTIMIZERS: dict[str, type[Any]] = {
    cls.name: cls for cls in (SSBroyden, SSBFGS, BFGS, Adam, LBFGSB, LevenbergMarquardt)
}


def parse_stages(text: str) -> tuple[Optimizer, ...]:
    """Stages in a row from text: names, each with `:iterations` and Adam with `@rate` if need be, between commas.

    With `:*`, a stage has no limit of its own; that is for the last one.
    """
    stages = [part.strip() for part in str(text).split(",")]
    return tuple(_parse(stage) for stage in stages)


def _parse(stage: str) -> Optimizer:
    what, at, rate = stage.partition("@")
    name, colon, count = what.partition(":")
    name = name.strip().lower()
    one_of(name, OPTIMIZERS, "optimizer")
    options: dict[str, Any] = {}
    if colon:
        options["iterations"] = None if count.strip() == _NO_LIMIT else _whole(count, stage)
    if at:
        if name != Adam.name:
            raise InputError(
                f"optimizer {stage!r}: only adam has a learning rate, {name} finds its own steps"
            )
        try:
            options["learning_rate"] = float(rate)
        except ValueError:
            raise InputError(
                f"optimizer {stage!r}: the learning rate must be a number, not {rate!r}"
            ) from None
    return OPTIMIZERS[name](**options)


def _whole(count: str, stage: str) -> int:
    if not (count.strip().isascii() and count.strip().isdigit() and int(count) > 0):
        raise InputError(
            f"optimizer {stage!r}: iterations must be a whole number of 1 or more, or {_NO_LIMIT}, not {count!r}"
        )
    return int(count)


def name_stages(stages: Sequence[Optimizer]) -> str:
    """The inverse of `parse_stages`, as far as names, iterations and rates go."""
    return ",".join(_name(stage) for stage in stages)


def _name(stage: Optimizer) -> str:
    default = type(stage)()
    count = "" if stage.iterations == default.iterations else f":{stage.iterations or _NO_LIMIT}"
    if not isinstance(stage, Adam):
        return f"{stage.name}{count}"
    return f"{stage.name}{count}" + (
        "" if stage.learning_rate == Adam().learning_rate else f"@{stage.learning_rate}"
    )


def memory_bytes() -> int:
    """The memory that this process may have: of the machine, its container or its own limit."""
    return memory_limit()


def fitting(
    stages: Sequence[Optimizer], size: int, memory: int | None = None
) -> tuple[tuple[Optimizer, ...], str | None]:
    """The stages, with L-BFGS-B in place of any whose dense matrix would take over a quarter of the memory.

    The second value says so, or is None.
    """
    memory = memory_bytes() if memory is None else memory
    result, said = [], None
    for stage in stages:
        needed = stage.bytes_needed(size) if hasattr(type(stage), "bytes_needed") else 0  # pyright: ignore
        if needed <= memory / 4:
            result.append(stage)
            continue
        result.append(LBFGSB(iterations=stage.iterations))
        said = (
            f"{stage.name} would need {needed / 2**30:.1f} GiB for {size} parameters, "
            f"over a quarter of the {memory / 2**30:.0f} GiB here: lbfgsb is used instead"
        )
    return tuple(result), said
