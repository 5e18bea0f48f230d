"""Plane waves as features of a window: all wave numbers up to a largest one, each at the same few frequencies.

A window is short beside what happens in it, so that in time few functions are enough, while in space it may be as fine
as it likes. Features `sin(k·x + w t + b)` with frequencies ±w and b = 0 and π/2 span the products of `cos k·x` and
`sin k·x` with `cos w t` and `sin w t`. Along a periodic coordinate wave numbers are whole; elsewhere, and in time, the
waves have a longer period than the box, and least squares finds the extension of the solution (D. Huybrechs, SIAM
J. Numer. Anal. 47, 2010).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from jax import device_put
from jaxtyping import Float

from qres.jets import ACTIVATIONS
from qres.networks import Architecture, Embedding, Network, Plain
from qres.problems import Problem

FREQUENCIES = 4  # of each wave number
_PERIOD = 2.0  # of waves in space, beside the box's length
_LONGER = 2.0  # the same in time


def wave_network(problem: Problem, place: int, count: int, number: int = 0) -> Network:
    """A network of one hidden layer of about so many plane waves, with an output layer of zeros.

    Args:
        problem: whose box and fields these are.
        place: of time among the coordinates.
        count: of features, at the most.
        number: 0 for the solution; another for waves that differ from these.
    """
    period = _PERIOD + 0.17 * number
    spacing = [
        math.pi if name in problem.periodic else math.pi / period
        for i, name in enumerate(problem.coordinates)
        if i != place
    ]
    frequencies = math.pi / (_LONGER + 0.23 * number) * (np.arange(FREQUENCIES) + 0.5)
    vectors = _wave_numbers(spacing, max(1, (count - 2 * FREQUENCIES) // (4 * FREQUENCIES)))
    rows = []
    for vector in vectors:
        signs = (1.0, -1.0) if np.any(vector) else (1.0,)
        for frequency, sign, phase in itertools.product(frequencies, signs, (0.0, math.pi / 2)):
            rows.append([*np.insert(vector, place, sign * frequency), phase])
    drawn = np.array(rows)
    outputs, identity = len(problem.fields), ACTIVATIONS["identity"]
    zero, none = device_put(np.zeros((outputs, len(drawn)))), device_put(np.zeros(outputs))
    hidden = Plain(device_put(drawn[:, :-1]), device_put(drawn[:, -1]), ACTIVATIONS["sin"])
    embedding = Embedding(problem.lower, problem.upper, (0,) * len(problem.coordinates))
    architecture = Architecture(
        kind="mlp", width=len(drawn), depth=1, activation="sin", periodic_embedding=False
    )
    return Network(embedding, (hidden, Plain(zero, none, identity)), architecture)


def is_lattice(network: Network) -> bool:
    """Whether the features of a network are waves of a lattice: their phases are 0 and π/2."""
    phases = np.unique(np.round(np.asarray(network.layers[0].b), 12))
    return len(phases) <= 2


def _wave_numbers(spacing: Sequence[float], most: int) -> list[Float[np.ndarray, " d"]]:
    """Zero and the shortest wave vectors of a lattice, one of each pair of opposite ones."""
    d, side = len(spacing), 1
    while ((2 * side + 1) ** d - 1) // 2 < most:
        side += 1
    found = []
    for index in itertools.product(range(-side, side + 1), repeat=d):
        if index > (0,) * d:
            found.append(index)
    found.sort(key=lambda index: (max(map(abs, index)), sum(map(abs, index)), index))
    return [np.zeros(d), *(np.array(index) * spacing for index in found[:most])]
