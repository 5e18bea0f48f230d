"""JAX as qres needs it: float64, one host device a core, and compiled programs kept between runs.

These are the only effects of importing qres. What the user has set up (a backend that runs already, `XLA_FLAGS`,
`JAX_NUM_CPU_DEVICES`, `JAX_COMPILATION_CACHE_DIR`) is left as it is.
"""

import os

import jax

from qres._cache import cache_folder


def _backend_runs() -> bool:
    from jax._src import xla_bridge

    return xla_bridge.backends_are_initialized()


def _cores() -> int:
    """The cores this process may use, which on a shared machine or in a container is fewer than there are."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def set_up() -> None:
    """Float64 always; devices and compile cache only where the user has not chosen."""
    jax.config.update("jax_enable_x64", True)
    chosen = "xla_force_host_platform_device_count" in os.environ.get("XLA_FLAGS", "")
    if not chosen and "JAX_NUM_CPU_DEVICES" not in os.environ and not _backend_runs():
        jax.config.update("jax_num_cpu_devices", _cores())
    if jax.config.jax_compilation_cache_dir is None:  # pyright: ignore[reportAttributeAccessIssue]
        jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "compiled"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)


set_up()
