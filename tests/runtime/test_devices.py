"""Chunks are of a cache's size on a CPU, and one large one on a GPU, as far as its memory goes."""

from dataclasses import dataclass

import jax
import numpy as np
import pytest

import qres
from qres.loss import Objective
from qres.loss._engine import chunk_points
from qres.residuals import create_model
from qres.runtime.devices import chunk_size

GIGABYTE = 2**30


@dataclass
class Fake:
    """A device that this machine need not have."""

    platform: str = "gpu"
    stats: dict | None = None

    def memory_stats(self):
        return self.stats


@pytest.mark.parametrize("stats", [None, {}, {"bytes_limit": 80 * GIGABYTE}])
def test_a_cpu_has_what_stays_in_its_cache(stats):
    assert chunk_size(512, points=10**6, values=3, device=Fake("cpu", stats)) == 512


@pytest.mark.parametrize("platform", ["gpu", "cuda", "rocm", "tpu"])
def test_others_have_one_chunk(platform):
    device = Fake(platform, {"bytes_limit": 16 * GIGABYTE, "bytes_in_use": 0})
    assert chunk_size(512, points=20_000, device=device) == 20_000


@pytest.mark.parametrize(
    ("stats", "expected"),
    [
        ({"bytes_limit": 16 * GIGABYTE, "bytes_in_use": 8 * GIGABYTE}, 2 * GIGABYTE // 8000),
        ({"bytes_limit": 16 * GIGABYTE}, 4 * GIGABYTE // 8000),
        ({"bytes_in_use": 7}, GIGABYTE // 8000),  # a limit that nobody tells: 4 GiB
        (None, GIGABYTE // 8000),
        ({"bytes_limit": GIGABYTE, "bytes_in_use": 2 * GIGABYTE}, 512),  # never less than a CPU
    ],
)
def test_memory_bounds_a_chunk(stats, expected):
    assert chunk_size(512, points=10**9, values=1000, device=Fake("gpu", stats)) == expected
    assert chunk_size(512, values=1000, device=Fake("gpu", stats)) == expected


def test_half_the_precision_leaves_room_for_twice_the_points():
    sizes = [chunk_size(1, values=1000, dtype=dtype, device=Fake()) for dtype in (np.float64, np.float32)]
    assert sizes[1] == pytest.approx(2 * sizes[0], rel=1e-5)


def objective(points=5000):
    problem = qres.Problem("u_t = u_xx", {"t": (0, 1), "x": (0, 1)}, ["u(0, x) = sin(pi*x)"])
    network = qres.QRes(problem, width=40, depth=3, key=jax.random.key(0))
    return Objective(problem, create_model(problem, network), qres.Sampling(points=points))


def test_the_loss_on_a_gpu_has_one_chunk_a_device_and_the_same_value(monkeypatch):
    on_cpu = objective()
    points = on_cpu.draw(jax.random.key(1))
    batch = on_cpu.batch(points)
    assert len(batch[0]["points"][0]) > jax.device_count()
    monkeypatch.setattr(jax, "local_devices", lambda: [Fake()])
    on_gpu = objective()
    assert chunk_points(on_gpu.model(on_gpu.start), on_gpu.blocks[0].channels) > 5000
    large = on_gpu.batch(points)
    assert len(large[0]["points"][0]) == jax.device_count()
    values = [float(o.engine.target.evaluate(o.start, b)[0]) for o, b in ((on_cpu, batch), (on_gpu, large))]
    assert values[1] == pytest.approx(values[0], rel=1e-12)


def test_a_solution_is_the_same_in_chunks_of_any_size(monkeypatch):
    problem = qres.Problem("u_x = -u", {"x": (0, 2)}, ["u(0) = 1"])
    solution = qres.solve(problem, qres.Architecture(width=4, depth=1), iterations=3, progress=False)
    x = np.linspace(0, 2, 5001)
    before = solution(x=x)
    monkeypatch.setattr(jax, "local_devices", lambda: [Fake()])
    assert solution(x=x) == pytest.approx(before, rel=1e-12)
