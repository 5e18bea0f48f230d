"""What is computed once for a batch is what would be computed in every iteration."""

import dataclasses

import numpy as np

from qres.runs import read_specification
from qres.runtime.random import seed_key
from qres.training._assembly import build_model, build_objective


def test_waves_from_a_table_are_waves_computed_in_place():
    specification = read_specification("schrodinger")
    sampling = dataclasses.replace(specification.sampling, points=700)
    specification = dataclasses.replace(specification, sampling=sampling)
    model = build_model(specification, None)
    objective = build_objective(specification, specification.problem, model)
    points = objective.draw(seed_key(0))
    batch = objective.batch(points)
    assert batch[0]["known"][0].shape[1] == 2 * 4  # fields, times 1, t, x, xx
    without = {0: {name: arrays for name, arrays in batch[0].items() if name != "known"}}
    for one, other in zip(
        objective.engine.target.evaluate(objective.start, batch),
        objective.engine.target.evaluate(objective.start, without),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_problems_without_waves_have_no_table():
    specification = read_specification("burgers")
    objective = build_objective(specification, specification.problem, build_model(specification, None))
    assert all(block.known is None for block in objective.blocks)
