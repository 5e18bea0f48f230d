"""Configuration of JAX: float64, one host device per core, the compilation cache, multiple processes.

Importing qres changes nothing of JAX. Whatever makes JAX's arrays calls `configure` first: problems, networks,
objectives, solutions, `solve`, `resume` and `load`.
"""

from __future__ import annotations

import contextlib
import os
import threading

import jax

from .cache import private_folder, trim_cache
from .cores import cores
from .errors import InputError, shorten

_JAX_KEEPS_FROM = 1.0  # seconds of compiling, if nobody says otherwise


class _Once:
    """Whether JAX has been configured in this process."""

    done = False
    lock = threading.RLock()


def configure() -> None:
    """Configure JAX for qres, once in a process; `solve`, `load` and all else that needs it call this by themselves.

    It switches JAX to float64. On a CPU it asks for one device a core, and it keeps compiled programs between runs.
    It leaves alone what you have chosen: a backend that runs already, `XLA_FLAGS`, `JAX_NUM_CPU_DEVICES`,
    `JAX_COMPILATION_CACHE_DIR`, `jax.distributed`, and whatever you set in `jax.config` afterwards.

    Several processes, on one machine or many, work on one problem when each is started with the same program and
    `JAX_COORDINATOR_ADDRESS` (host:port of the first), `JAX_NUM_PROCESSES` and `JAX_PROCESS_ID`; or, under Slurm,
    Open MPI or Kubernetes, which tell a process these three, with `QRES_DISTRIBUTED=1` alone. `configure` joins them.

    Call it yourself to make arrays or networks of your own in float64 before qres is first used.
    """
    if _Once.done:
        return
    with _Once.lock:
        if not _Once.done:
            _configure()
            _Once.done = True  # not where it failed: the next call says why again


def _configure() -> None:
    """Float64 always; devices, compile cache and processes only where the user has not chosen."""
    jax.config.update("jax_enable_x64", True)
    chosen = "xla_force_host_platform_device_count" in os.environ.get("XLA_FLAGS", "")
    if not chosen and "JAX_NUM_CPU_DEVICES" not in os.environ:
        with contextlib.suppress(RuntimeError):  # of a backend that runs already, with the devices it has
            jax.config.update("jax_num_cpu_devices", cores())
    if jax.config.jax_compilation_cache_dir is None:  # pyright: ignore[reportAttributeAccessIssue]
        _keep_programs()
    if jax.config.jax_persistent_cache_min_compile_time_secs == _JAX_KEEPS_FROM:  # pyright: ignore[reportAttributeAccessIssue]
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)  # many small ones take seconds
    _join_processes()
    _check_platforms()


def _check_platforms() -> None:
    """An error where the user asks JAX for devices that it does not find here, such as a GPU."""
    asked = jax.config.jax_platforms  # pyright: ignore[reportAttributeAccessIssue]
    if not asked or asked == "cpu":
        return  # the CPU is always there, and JAX need not start yet
    try:
        jax.devices()
    except (RuntimeError, AssertionError) as error:
        why = shorten(str(error), 120)
        raise InputError(
            f"JAX_PLATFORMS={asked!r}: JAX finds no such device here{f' ({why})' if why else ''}; leave it out, or "
            "install JAX for that device"
        ) from None


def _keep_programs() -> None:
    """Between runs, in a folder that only this user can write to: programs are code that will run."""
    try:
        jax.config.update("jax_compilation_cache_dir", str(private_folder("compiled")))
    except OSError:
        return  # nothing is kept; compiling takes its time again
    trim_cache()


def _join_processes() -> None:
    """Join the other processes of this run, where the environment says that there are any."""
    if jax.distributed.is_initialized():
        return
    count, number = _whole("JAX_NUM_PROCESSES"), _whole("JAX_PROCESS_ID")
    if "JAX_COORDINATOR_ADDRESS" in os.environ and count is not None and number is not None:
        jax.distributed.initialize(num_processes=count, process_id=number)
    elif os.environ.get("QRES_DISTRIBUTED", "0") not in ("", "0"):
        jax.distributed.initialize()  # what is not given is asked of the cluster


def _whole(name: str) -> int | None:
    text = os.environ.get(name)
    if text is not None and not text.isdigit():
        raise InputError(f"{name}={text!r}: a whole number is needed")
    return None if text is None else int(text)
