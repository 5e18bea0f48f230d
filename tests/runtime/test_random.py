"""Keys derived on the host: the same from the same, others from others."""

import jax
import numpy as np
import pytest

from qres.runtime.random import fold_in, generator, seed_key, split


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
