"""Whether residuals are affine in the fields and the unknowns: read off the formulas, a proof and no trial."""

from __future__ import annotations

import numpy as np

from qres.jets import Recording
from qres.posed.evaluator import Outputs, Residuals, Transformed, recorded_coordinates
from qres.problems import Problem
from qres.runtime.errors import InputError


def is_affine(problem: Problem, residuals: Residuals) -> bool:
    """Whether each residual is affine in the network outputs and the unknowns together, with the ansatz in between.

    Args:
        problem: whose ansatz and definitions lead from the outputs to what the residuals name.
        residuals: equations, conditions, measurements and terms of the user's.
    """

    def noted(name: str) -> Recording:
        return Recording.field(problem.coordinates, name, degree=1)

    unknowns = {
        name: np.array([noted(name) for _ in unknown.start])
        if isinstance(unknown.start, tuple)
        else noted(name)
        for name, unknown in problem.unknowns.items()
    }
    raw, coordinates = (
        Outputs({n: noted(n) for n in problem.fields}),
        recorded_coordinates(problem.coordinates),
    )
    try:
        fields = Transformed(problem, problem.transform, raw, unknowns)(coordinates)
        found = residuals.everywhere(fields, coordinates, unknowns)
    except InputError:  # a Python function calls one of JAX's, which takes numbers only
        return False
    return all(one.degree <= 1 for one in found if isinstance(one, Recording))
