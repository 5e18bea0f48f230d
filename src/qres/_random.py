"""Random numbers on the host from a JAX key: nothing to compile, and the same on every machine."""

from __future__ import annotations

import jax
import numpy as np
from jaxtyping import PRNGKeyArray


def generator(key: PRNGKeyArray) -> np.random.Generator:
    """NumPy's generator, started from a key."""
    return np.random.default_rng(np.asarray(jax.random.key_data(key), dtype=np.uint64))
