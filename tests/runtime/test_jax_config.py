"""JAX is configured when qres is used, not when it is imported; and what the user has chosen is left alone."""

import json
import os
import subprocess
import sys
import threading

import jax
import pytest

import qres
from qres.runtime import jax_config
from qres.runtime.errors import InputError

SETTINGS = (
    "jax_enable_x64", "jax_num_cpu_devices", "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
)  # fmt: skip
BEGIN = f"""
import importlib, json, pkgutil
import jax, numpy as np
def settings(): return [getattr(jax.config, name) for name in {SETTINGS}]
before = settings()
import qres
def decay(): return qres.Problem("u_x = -u", {{"x": (0, 2)}}, ["u(0) = 1"])
def solved(): return qres.solve(decay(), qres.Architecture(width=4, depth=1), iterations=3, progress=False)
class Line:
    coordinates, fields, periodic, lower, upper = ("x",), ("u",), (), (0.0,), (1.0,)
"""


def run(code, **environment):
    """What a fresh process prints; it has no settings of JAX but those given."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("JAX_") and name != "XLA_FLAGS"
    }
    command = [sys.executable, "-c", BEGIN + code]
    done = subprocess.run(
        command, capture_output=True, text=True, env=plain | environment, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_importing_every_room_changes_nothing_and_starts_nothing():
    found = run("""
for module in pkgutil.walk_packages(qres.__path__, "qres."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            assert error.name == "ngsolve", error  # which only computing the wake again needs
same = settings() == before
jax.config.update("jax_num_cpu_devices", 3)  # an error once a backend runs
print(json.dumps([same, jax.device_count(), str(solved().model.network.layers[0].b.dtype)]))
""")
    assert found == [True, 3, "float64"]


@pytest.mark.parametrize(
    "made",
    [
        "solved().model.network.layers[0].b",
        "decay() and jax.numpy.ones(2)",
        "qres.Architecture(width=4, depth=1).build(Line, key=jax.random.key(0)).layers[0].b",
        "qres.QRes(Line, width=4, depth=1, key=jax.random.key(0)).layers[0].b",
        "importlib.import_module('qres.loss').function_target(lambda v: v @ v, 2)"
        ".evaluate(np.ones(2), np.zeros(8))[1]",
        "qres.jets.positions(qres.jets.Truncation.closure(('x',), [(1,)]), np.ones((1, 3))).coefficients[1]",
        "qres.jets.lift(lambda x: 2 * x, qres.jets.Truncation.closure(('x',), [(1,)]), np.ones((1, 3))).value",
        "qres.erf(0.3)",
        "qres.gelu(np.ones(2))",
        "qres.sigmoid(0.3)",
        "qres.configure() or jax.numpy.ones(2)",
    ],
)
def test_whatever_makes_arrays_makes_them_in_float64(made):
    assert run(f"print(json.dumps(str(({made}).dtype)))") == "float64"


def test_a_saved_solution_is_evaluated_in_float64(tmp_path):
    problem = qres.Problem("u_x = -u", {"x": (0, 2)}, ["u(0) = 1"])
    solution = qres.solve(problem, qres.Architecture(width=4, depth=1), iterations=3, progress=False)
    solution.save(tmp_path / "a.qres")
    value, kind = run(f"""
solution = qres.load({str(tmp_path / "a.qres")!r})
print(json.dumps([float(solution(x=0.3)), str(solution.model.network.layers[0].b.dtype)]))
""")
    assert kind == "float64"
    assert abs(value - solution(x=0.3)) < 1e-14


def test_the_result_is_the_same_where_jax_was_used_before():
    """With arrays in float32, too: a network's weights are taken to float64."""
    use = "assert jax.numpy.ones(3).dtype == 'float32'"
    result = "print(json.dumps([solved().result.loss, float(solved()(x=0.3))]))"
    one = {"JAX_NUM_CPU_DEVICES": "1"}  # a backend that runs keeps the devices it has
    assert run(f"{use}\n{result}", **one) == run(result, **one)


def test_what_the_user_has_chosen_stays(tmp_path):
    found = run(
        "qres.configure(); print(json.dumps([settings(), jax.device_count()]))",
        JAX_NUM_CPU_DEVICES="2",
        JAX_COMPILATION_CACHE_DIR=str(tmp_path),
        JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="7",
    )
    assert found == [[True, 2, str(tmp_path), 7.0], 2]


def test_a_later_choice_of_the_user_stays_too():
    assert run("""
qres.configure()
jax.config.update("jax_enable_x64", False)
qres.configure()
decay()
print(json.dumps(str(jax.numpy.ones(2).dtype)))
""") == "float32"  # fmt: skip


def test_threads_configure_once_and_a_failure_is_told_again(monkeypatch):
    calls = []
    monkeypatch.setattr(jax_config, "_configure", lambda: calls.append(threading.get_ident()))
    monkeypatch.setattr(jax_config._Once, "done", False)
    threads = [threading.Thread(target=jax_config.configure) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1

    monkeypatch.undo()
    monkeypatch.setattr(jax_config._Once, "done", False)
    monkeypatch.setenv("JAX_NUM_PROCESSES", "several")
    for _ in range(2):
        with pytest.raises(InputError, match="JAX_NUM_PROCESSES='several': a whole number is needed"):
            jax_config.configure()
    assert jax.config.read("jax_enable_x64")


def test_a_device_that_is_not_there_is_one_line():
    found = run(
        """
try:
    decay()
except ValueError as error:
    print(json.dumps(str(error)))
""",
        JAX_PLATFORMS="tpu",
    )
    assert found.startswith("JAX_PLATFORMS='tpu': JAX finds no such device here")
