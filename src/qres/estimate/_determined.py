"""Well-posedness: the smallest singular value of the linearized problem.

A change z of the fields that leaves all residuals as they are may be added to any solution: a missing condition, a
resonance, a constant of integration. It is found by Lanczos's method on the inverse, with the factor that the
correction has needed already. Residuals are shares of their terms, changes shares of their fields: units do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse.linalg
from jaxtyping import Float, Int

_VECTORS = 2
_RESTARTS, _BASIS = 10, 20


def weakest(
    inverse: Callable[[np.ndarray], np.ndarray],
    mass: Float[np.ndarray, " n"],
    means: Sequence[Int[np.ndarray, "groups members"]],
) -> tuple[float, Float[np.ndarray, " n"]]:
    """The smallest singular value, `min |Az|/|z|`, and its z of length one; `|z|² = Σ mass z²`.

    Args:
        inverse: `v → (AᵀA)⁻¹ v`.
        mass: of each coefficient; zero for those that count for nothing.
        means: groups of coefficients; a common shift of a group is free by the statement, and left out.
    """
    root = np.sqrt(mass)

    def project(x: np.ndarray) -> np.ndarray:
        x = x.copy()
        for groups in means:
            weights = mass[groups]
            total = np.maximum(weights.sum(axis=1), np.finfo(float).tiny)
            x[groups] -= ((weights * x[groups]).sum(axis=1) / total)[:, None]
        return x

    def over(y: np.ndarray) -> np.ndarray:
        return np.divide(y, root, out=np.zeros(len(root)), where=root > 0)

    def apply(y: np.ndarray) -> np.ndarray:
        return root * project(inverse(mass * project(over(y.ravel()))))

    operator = scipy.sparse.linalg.LinearOperator((len(root),) * 2, matvec=apply, dtype=float)  # pyright: ignore
    start = np.random.default_rng(0).standard_normal(len(root)) * (root > 0)
    basis = min(_BASIS, len(root) - 1)
    try:
        values, vectors = scipy.sparse.linalg.eigsh(
            operator,
            k=_VECTORS,
            v0=start,
            tol=1e-2,  # pyright: ignore[reportArgumentType]
            ncv=basis,
            maxiter=_RESTARTS,
        )
    except scipy.sparse.linalg.ArpackNoConvergence as error:
        values, vectors = error.eigenvalues, error.eigenvectors
    if not len(values):  # many values of the same size, none of which stands out: one is enough
        vector = apply(start / np.linalg.norm(start))
        values, vectors = np.array([np.linalg.norm(vector)]), vector[:, None]
    best = int(np.argmax(values))
    z = over(vectors[:, best])
    return float(1 / np.sqrt(max(values[best], np.finfo(float).tiny))), z / max(
        float(np.linalg.norm(root * z)), np.finfo(float).tiny
    )
