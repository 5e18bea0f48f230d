"""A self-scaled Broyden iteration of qres beside a loss + gradient, on built-in problems with their own points.

Both run many times in one compiled program: a call of its own costs something that an iteration within a loop does not,
and would make the ratio look better than it is.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
from jax.sharding import PartitionSpec as P

import qres
from bench.case import Case
from bench.variants import Timed
from qres.loss import AXIS
from qres.runs import read_specification
from qres.training._assembly import build_model, build_objective

_STEPS = 20
_WARM = 200  # iterations before any is timed: the first ones search longer along their lines


def build(case: Case) -> dict[str, Timed]:
    preset = "paper" if case.equation == "kdv-inverse" else None
    specification = read_specification(case.equation, preset)
    sampling = specification.sampling
    if case.points:  # else the problem's own
        sampling = dataclasses.replace(sampling, points=case.points)
    architecture = qres.Architecture(case.kind, case.width, case.depth)
    specification = dataclasses.replace(
        specification, sampling=sampling, architecture=architecture
    ).measured()
    problem = specification.problem
    objective = build_objective(specification, problem, build_model(specification, None))
    batch = objective.batch(objective.draw(jax.random.key(0)))
    target, method, theta = objective.engine.target, qres.SSBroyden(), objective.start
    state = [method.step(target, method.init(target, theta, batch), batch, _WARM)]
    begun = int(state[0].iteration), int(state[0].evaluations)

    def iterate() -> None:
        before = int(state[0].iteration)
        state[0] = method.step(target, state[0], batch, _STEPS)
        if int(state[0].iteration) != before + _STEPS:
            raise RuntimeError(
                f"SSBroyden stopped after {int(state[0].iteration)} iterations: nothing to time"
            )

    def descend(theta: Any, batch: Any) -> Any:
        """As many evaluations in one program as there are iterations in one, each at another point than the last."""
        return jax.lax.fori_loop(
            0, _STEPS, lambda _, at: at - 1e-14 * target.value_and_grad(at, batch)[1], theta
        )

    program = target.program(descend, (P(), P(AXIS)), P())

    def evaluate() -> None:
        jax.block_until_ready(program(theta, batch))

    def call() -> None:
        jax.block_until_ready(target.evaluate(theta, batch))

    def evaluations() -> float:
        return (int(state[0].evaluations) - begun[1]) / max(int(state[0].iteration) - begun[0], 1)

    return {
        "loss + gradient": Timed(evaluate, units=_STEPS),
        "loss + gradient, called alone": Timed(call),
        "iteration": Timed(iterate, units=_STEPS, counts=evaluations),
    }
