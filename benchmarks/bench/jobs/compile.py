"""How long a built-in problem takes to compile, with nothing in the cache: from specification to first iteration."""

from __future__ import annotations

import time

import jax

from bench.jobs import answer, arguments
from qres.optimizers import fit_to_memory, parse_stages
from qres.runs import read_specification
from qres.training._assembly import build_model, build_objective


def main() -> None:
    specification = read_specification(arguments()["problem"]).measured()
    problem = specification.problem
    model = build_model(specification, None)
    begun = time.perf_counter()
    objective = build_objective(specification, problem, model)
    points = objective.draw(jax.random.key(0))
    batch, target = objective.batch(points), objective.engine.target
    prepared = time.perf_counter() - begun
    stage = fit_to_memory(parse_stages(specification.stages), objective.engine.size)[0][0]
    state = stage.init(target, objective.start, batch)
    int(stage.step(target, state, batch, 1).iteration)
    first = time.perf_counter() - begun
    begun = time.perf_counter()
    int(stage.step(target, stage.init(target, objective.start, batch), batch, 1).iteration)
    again = time.perf_counter() - begun
    answer({"prepare": prepared, "compile": first - prepared - again, "first": first})


if __name__ == "__main__":
    main()
