"""Random numbers on the host from a seed or a JAX key: no compilation, and the same on every machine.

A run has one seed and many uses for chance: weights, points, held-out measurements. Each use has a stream of its own,
which its name tells apart: `stream(seed, "points")`. Streams of different names, numbers or seeds are independent, so
that what one of them draws, or how much, changes nothing in another.
"""

from __future__ import annotations

import hashlib

import jax
import numpy as np
from jaxtyping import PRNGKeyArray


def stream(seed: int, name: str, *numbers: int) -> PRNGKeyArray:
    """The key of a named stream, the same on every machine and in every version of Python.

    Args:
        seed: of the run, 0 or more.
        name: what the random numbers are for, such as `"points"`.
        numbers: tell several of a kind apart, such as the networks that a run begins with.
    """
    return _key_of(_stream_words(seed, name, numbers))


def generator_for(seed: int, name: str, *numbers: int) -> np.random.Generator:
    """NumPy's generator of a named stream; arguments as of `stream`."""
    return np.random.default_rng(_stream_words(seed, name, numbers).tolist())


def seed_for(seed: int, name: str, *numbers: int) -> int:
    """A seed of its own, below 2^63, for a run that belongs to another; arguments as of `stream`."""
    high, low = _stream_words(seed, name, numbers).tolist()
    return (high << 32 | low) >> 1


def _stream_words(seed: int, name: str, numbers: tuple[int, ...]) -> np.ndarray:
    """Two words from a hash of all that names a stream; the separator is in no number, and names hold none."""
    assert name.isidentifier(), name
    text = "/".join(map(str, (seed, name, *numbers)))
    return np.frombuffer(hashlib.sha256(text.encode()).digest(), ">u4")[:2].astype(np.uint32)


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
