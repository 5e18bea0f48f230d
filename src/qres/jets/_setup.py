"""JAX as qres needs it: float64, one host device a core, compiled programs kept between runs, other processes joined.

These are the only effects of importing this package, which all others need. What the user has set up (a backend that
runs already, `XLA_FLAGS`, `JAX_NUM_CPU_DEVICES`, `JAX_COMPILATION_CACHE_DIR`, `jax.distributed`) is left as it is.

Several processes, on one machine or many, work on one problem when each is started with the same program and
`JAX_COORDINATOR_ADDRESS` (host:port of the first), `JAX_NUM_PROCESSES` and `JAX_PROCESS_ID`; or, under Slurm, Open MPI
or Kubernetes, which tell a process these three, with `QRES_DISTRIBUTED=1` alone.
"""

import os

import jax

from qres._cache import cache_folder
from qres._errors import InputError

_JAX_KEEPS_FROM = 1.0  # seconds of compiling, if nobody says otherwise


def _backend_runs() -> bool:
    from jax._src import xla_bridge

    return xla_bridge.backends_are_initialized()


def _cores() -> int:
    """The cores this process may use, which on a shared machine or in a container is fewer than there are."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _whole(name: str) -> int | None:
    text = os.environ.get(name)
    if text is not None and not text.isdigit():
        raise InputError(f"{name}={text!r}: a whole number is needed")
    return None if text is None else int(text)


def join_processes() -> None:
    """Join the other processes of this run, where the environment says that there are any."""
    if jax.distributed.is_initialized():
        return
    count, number = _whole("JAX_NUM_PROCESSES"), _whole("JAX_PROCESS_ID")
    if "JAX_COORDINATOR_ADDRESS" in os.environ and count is not None and number is not None:
        jax.distributed.initialize(num_processes=count, process_id=number)
    elif os.environ.get("QRES_DISTRIBUTED", "0") not in ("", "0"):
        jax.distributed.initialize()  # what is not given is asked of the cluster


def set_up() -> None:
    """Float64 always; devices, compile cache and processes only where the user has not chosen."""
    jax.config.update("jax_enable_x64", True)
    chosen = "xla_force_host_platform_device_count" in os.environ.get("XLA_FLAGS", "")
    if not chosen and "JAX_NUM_CPU_DEVICES" not in os.environ and not _backend_runs():
        jax.config.update("jax_num_cpu_devices", _cores())
    if jax.config.jax_compilation_cache_dir is None:  # pyright: ignore[reportAttributeAccessIssue]
        jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "compiled"))
    if jax.config.jax_persistent_cache_min_compile_time_secs == _JAX_KEEPS_FROM:  # pyright: ignore[reportAttributeAccessIssue]
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)  # many small ones take seconds
    join_processes()


set_up()
