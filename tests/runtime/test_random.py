"""Keys derived on the host: the same from the same, others from others."""

import jax
import numpy as np
import pytest

from qres.runtime.random import fold_in, generator, generator_for, seed_for, seed_key, split, stream

POINTS, HOLDOUT, BOOTSTRAP = [463420775, 1276574792], [819, 482, 529], 7623342359146875380


def drawn(key):
    return tuple(generator(key).random(4))


def test_a_key_and_a_number_give_one_key_and_others_give_others():
    keys = [fold_in(jax.random.key(seed), number) for seed in range(3) for number in range(50)]
    assert len({drawn(key) for key in keys}) == 150
    assert drawn(fold_in(jax.random.key(1), 7)) == drawn(keys[57])


def test_keys_of_a_split_are_keys_to_jax_too():
    first, second = split(jax.random.key(0), 2)
    assert np.any(jax.random.uniform(first, (4,)) != jax.random.uniform(second, (4,)))
    assert drawn(first) != drawn(second)


@pytest.mark.parametrize("seed", [0, 7, 1_000_003, 2**31 - 1])
def test_the_key_of_a_seed_is_that_of_jax(seed):
    assert np.array_equal(jax.random.key_data(seed_key(seed)), jax.random.key_data(jax.random.key(seed)))


def test_a_stream_is_the_same_on_every_machine():
    """Written out once: a change would change the points and weights of every run."""
    assert jax.random.key_data(stream(0, "points")).tolist() == POINTS
    assert generator_for(7, "holdout").integers(1000, size=3).tolist() == HOLDOUT
    assert seed_for(2**63 - 1, "bootstrap", 3) == BOOTSTRAP


def test_streams_differ_by_seed_name_and_number():
    keys = [stream(seed, name) for seed in range(40) for name in ("points", "weights", "balance")]
    keys += [stream(seed, "weights", number) for seed in range(40) for number in range(3)]
    keys += [seed_key(seed) for seed in range(40)]
    assert len({drawn(key) for key in keys}) == len(keys)
    assert drawn(stream(1, "weights", 23)) != drawn(stream(12, "weights", 3))


def test_streams_are_not_correlated():
    rows = [generator(stream(seed, name)).standard_normal(4000) for seed in (0, 1, 2) for name in ("a", "b")]
    assert np.max(np.abs(np.corrcoef(rows) - np.eye(6))) < 0.08


def test_a_generator_is_that_of_the_stream():
    assert generator_for(3, "points", 1).random() == generator(stream(3, "points", 1)).random()


def test_seeds_of_further_runs_are_seeds():
    seeds = {seed_for(seed, "bootstrap", number) for seed in (0, 1) for number in range(100)}
    assert len(seeds) == 200
    assert all(0 <= seed < 2**63 for seed in seeds)
