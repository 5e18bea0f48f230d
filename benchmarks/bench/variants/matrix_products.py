"""The GEMM + tanh bound: the matrix products and tanh evaluations that no program for this loss can do without.

Counted, for each hidden layer but the first (whose inputs are two numbers a point) and for each of the k Taylor
coefficients: the product forward `W X`, `(r, w)(w, n)`, the one for the layer below `Wᵀ Z`, `(w, r)(r, n)`, and the one
for the weights `Z Xᵀ`, `(r, n)(n, w)`, with r = w rows, or 2w in a quadratic layer; and w tanh a point and hidden
layer. Not counted: the first and the last layer, all sums and products of series, the residual. Each is timed alone,
on arrays that stay in the cache, in chunks of the best size and by the faster of XLA and BLAS (NumPy).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from bench.case import Case
from bench.variants import Timed
from bench.variants.channels import CHANNELS

_CHUNKS = (125, 250, 500, 1000, 2000, 4000)


def build(case: Case) -> dict[str, Timed]:
    jax.config.update("jax_enable_x64", case.dtype == "float64")
    rows, width = case.weights_a_layer * case.width, case.width
    result = {}
    for name in ("forward", "backward", "weights", "tanh"):
        calls = case.depth if name == "tanh" else (case.depth - 1) * CHANNELS
        result[name] = Timed(_best(name, rows, width, case, calls))
    return result


def _best(name: str, rows: int, width: int, case: Case, calls: int) -> Callable[[], None]:
    """All calls of one kind over all points, by the fastest of the ways tried."""
    ways = [
        way
        for chunk in _CHUNKS
        for way in (
            _by_xla(name, rows, width, chunk, case, calls),
            _by_blas(name, rows, width, chunk, case, calls),
        )
    ]
    for way in ways:
        way()
    return min(ways, key=lambda way: min(_seconds(way) for _ in range(5)))


def _seconds(way: Callable[[], None]) -> float:
    begun = time.perf_counter()
    way()
    return time.perf_counter() - begun


def _operands(name: str, rows: int, width: int, chunk: int, dtype: str) -> tuple[np.ndarray, ...]:
    """As reverse mode has them: what is transposed is a view, which BLAS and XLA take as it is."""
    draw = np.random.default_rng(0).standard_normal
    W, X, Z = (draw(s).astype(dtype) for s in ((rows, width), (width, chunk), (rows, chunk)))
    return {"forward": (W, X), "backward": (W.T, Z), "weights": (Z, X.T), "tanh": (X,)}[name]


def _by_xla(name: str, rows: int, width: int, chunk: int, case: Case, calls: int) -> Callable[[], None]:
    """A loop in one program; what each pass adds to its operand, a number, keeps XLA from doing it only once."""
    operands = [jnp.asarray(a) for a in _operands(name, rows, width, chunk, case.dtype)]
    passes = calls * -(-case.points // chunk)

    def once(_: Any, carry: Any) -> Any:
        first, total = carry
        if name == "tanh":
            found = jnp.tanh(first)
        elif name == "weights":
            found = jax.lax.dot_general(first, operands[1].T, (((1,), (1,)), ((), ())))
        else:
            found = first @ operands[1]
        number = found[0, 0]
        return first.at[0, 0].add(1e-30 * number), total + number

    program = jax.jit(
        lambda first: jax.lax.fori_loop(0, passes, once, (first, jnp.zeros((), first.dtype)))[1]
    )
    return lambda: jax.block_until_ready(program(operands[0])) and None


def _by_blas(name: str, rows: int, width: int, chunk: int, case: Case, calls: int) -> Callable[[], None]:
    operands = _operands(name, rows, width, chunk, case.dtype)
    passes = calls * -(-case.points // chunk)
    function = np.tanh if name == "tanh" else np.matmul
    out = np.array(function(*operands))

    def run() -> None:
        for _ in range(passes):
            function(*operands, out=out)

    return run
