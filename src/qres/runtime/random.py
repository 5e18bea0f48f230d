"""Random numbers on the host from a JAX key: nothing to compile, and the same on every machine."""

from __future__ import annotations

import jax
import numpy as np
from jaxtyping import PRNGKeyArray


def seed_key(seed: int) -> PRNGKeyArray:
    """`jax.random.key(seed)`, without a program to compile."""
    return _key_of(np.array([seed >> 32 & 0xFFFFFFFF, seed & 0xFFFFFFFF], np.uint32))


def generator(key: PRNGKeyArray) -> np.random.Generator:
    """NumPy's generator, started from a key."""
    return np.random.default_rng(_words(key))


def fold_in(key: PRNGKeyArray, number: int) -> PRNGKeyArray:
    """The key of a key and a number: another for every number."""
    words = np.random.SeedSequence([*_words(key), number]).generate_state(2)
    return _key_of(words)


def split(key: PRNGKeyArray, count: int) -> list[PRNGKeyArray]:
    """So many keys from one."""
    return [fold_in(key, number) for number in range(count)]


def _key_of(words: np.ndarray) -> PRNGKeyArray:
    return jax.random.wrap_key_data(jax.device_put(words), impl="threefry2x32")


def _words(key: PRNGKeyArray) -> list[int]:
    return np.asarray(jax.random.key_data(key)).tolist()
