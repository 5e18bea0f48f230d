"""What all tests share: the annotations of qres are checked, and property-based tests do not depend on chance."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import beartype
import jax
import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

import qres

# Where wrong input is expected and has messages of its own (problems, specifications, the command line), types are
# not checked by force. A whole number is a float, as everywhere in Python.
CHECKED = ("qres.jets", "qres.networks._embedding", "qres.networks._layers", "qres.residuals._block",
           "qres.loss._continuous", "qres.loss._engine", "qres.fields._model", "qres.optimizers",
           "qres.fields._evaluate", "qres.fields._grid")  # fmt: skip

_typechecker = ModuleType("qres_typechecker")
_typechecker.checked = beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))  # pyright: ignore
sys.modules["qres_typechecker"] = _typechecker
install_import_hook(CHECKED, "qres_typechecker.checked")

qres.configure()  # tests make arrays of their own, in float64 as qres does

settings.register_profile("qres", derandomize=True, deadline=None, max_examples=25, print_blob=True)
settings.load_profile("qres")

# In the background of a shell Ctrl-C is ignored, and the commands under test would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


_MAPS = Path("/proc/self/maps")  # Linux lets a process have 65530, and compiled programs need several each
_MOST_MAPS = 30_000


@pytest.fixture(scope="module", autouse=True)
def programs():
    """Compiled programs are let go where so many are kept that all tests in one process would run out of maps."""
    yield
    if _MAPS.exists() and _MAPS.read_bytes().count(b"\n") > _MOST_MAPS:
        jax.clear_caches()


@pytest.fixture(scope="session")
def together():
    """Runs Python in several processes that work on one problem, a device each; what each prints."""

    def run(count, *arguments, cwd=None):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        running = []
        for number in range(count):
            environment = os.environ | {"JAX_NUM_CPU_DEVICES": "1"}
            if count > 1:
                environment |= {
                    "JAX_COORDINATOR_ADDRESS": address,
                    "JAX_NUM_PROCESSES": str(count),
                    "JAX_PROCESS_ID": str(number),
                }
            command = [sys.executable, *map(str, arguments)]
            running.append(
                subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, cwd=cwd)
            )
        outputs = [process.communicate(timeout=300)[0] for process in running]
        assert [process.returncode for process in running] == [0] * count
        return outputs

    return run
