"""The counts of parameters that the paper prints, and what a network says of itself."""

import jax
import pytest

import qres
from qres.networks import Architecture, count_parameters
from qres.problems import Problem

# kind, coordinates, width, depth, outputs, parameters
COUNTS = [
    ("pinn", 2, 20, 8, 1, 3021),  # Burgers
    ("qres", 2, 10, 8, 1, 1541),  # Burgers, lite
    ("qsc", 2, 10, 8, 1, 1541),
    ("qres", 2, 14, 8, 1, 2941),  # Burgers, full
    ("mlp", 3, 20, 8, 2, 3062),  # Navier–Stokes
    ("qres", 3, 14, 8, 2, 2998),
    ("mlp", 3, 20, 4, 2, 1382),  # its map of the error
    ("qres", 3, 14, 4, 2, 1374),
    ("mlp", 1, 50, 4, 50, 10300),  # Korteweg–de Vries
    ("qres", 1, 20, 4, 50, 4570),
    ("mlp", 2, 100, 4, 2, 30802),  # Schrödinger
    ("qres", 2, 50, 4, 2, 15602),
    ("mlp", 1, 200, 4, 101, 141301),  # Allen–Cahn
    ("qres", 1, 50, 4, 101, 25501),
    ("mlp", 2, 128, 3, 1, 33537),  # waves
    ("qres", 2, 90, 3, 1, 33211),
    ("isc", 2, 20, 8, 1, 3021),
    ("apinn", 2, 20, 8, 1, 3021 + 8),  # one slope a hidden layer
    ("qdn", 2, 10, 8, 1, 3 * (2 * 10 + 7 * 100 + 10) + 3 * 81),
]


def problem(coordinates, outputs):
    names: list[str] = ["t", "x", "y"][:coordinates]
    fields = [f"u{i}" for i in range(outputs)]
    domain = dict.fromkeys(names, (0.0, 1.0))
    return Problem([f"u0_{names[0]} = 0"], domain, fields=fields)


@pytest.mark.parametrize(("kind", "coordinates", "width", "depth", "outputs", "count"), COUNTS)
def test_parameters(kind, coordinates, width, depth, outputs, count):
    architecture = Architecture(kind, width=width, depth=depth)
    built = architecture.build(problem(coordinates, outputs), key=jax.random.key(0))
    assert built.parameters == count_parameters(built) == count
    assert built.widths == (coordinates, *(width,) * depth, outputs)


def test_families_by_name():
    one, key = problem(2, 1), jax.random.key(0)
    assert qres.QRes(one, width=10, depth=8, key=key).parameters == 1541
    assert qres.MLP(one, key=key).parameters == 3021
    assert qres.QSC(one, key=key).architecture.kind == "qsc"
    assert qres.ISC(one, 5, 2, key=key).architecture == Architecture("isc", 5, 2)
    assert qres.APINN(one, 5, 2, key=key, n=3.0).architecture.n == 3.0
    assert qres.QDN(one, 5, 2, key=key, activation="sin").architecture.activation == "sin"


def test_hidden_widths_one_by_one():
    built = Architecture(hidden=(3, 7)).build(problem(2, 1), key=jax.random.key(0))
    assert built.widths == (2, 3, 7, 1)
    assert built.parameters == (2 * 2 * 3 + 3) + (2 * 3 * 7 + 7) + (2 * 7 + 1)


def test_plain_data_and_back():
    for architecture in (Architecture(), Architecture("qdn", hidden=(3, 7), activation="sin", harmonics=3)):
        assert Architecture.from_dict(architecture.to_dict()) == architecture


def test_same_key_same_weights():
    def leaves(key):
        return jax.tree.leaves(Architecture(width=3, depth=1).build(problem(1, 1), key=jax.random.key(key)))

    assert all((a == b).all() for a, b in zip(leaves(1), leaves(1), strict=True))
    assert any((a != b).any() for a, b in zip(leaves(1), leaves(2), strict=True))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"width": 0}, "width must be a whole number of 1 or more, not 0"),
        ({"width": 2.5}, "width must be a whole number of 1 or more, not 2.5"),
        ({"width": True}, "width must be a whole number"),
        ({"depth": -1}, "depth must be a whole number of 1 or more, not -1"),
        ({"harmonics": 0}, "harmonics"),
        ({"hidden": 5}, "hidden must be a list of one width or more, not 5"),
        ({"n": 0}, "n must be a number above 0, not 0"),
        ({"fourier_features": 10**6}, "fourier_features must be at most 100000"),
        ({"hidden": ()}, "hidden must be a list of one width or more, not ()"),
        ({"hidden": (3, 0)}, "each hidden width"),
        ({"fourier_features": -1}, "fourier_features must be a whole number of 0 or more, not -1"),
        ({"kind": "qress"}, "network kind 'qress' is not known; did you mean 'qres'?"),
        ({"activation": "tan"}, "activation 'tan' is not known; did you mean 'tanh'?"),
        ({"initializer": "zeros"}, "initializer 'zeros' is not known"),
        ({"widht": 3}, "unknown key 'widht' in [network]; did you mean 'width'?"),
    ],
)
def test_a_mistake_is_named(wrong, says):
    with pytest.raises(ValueError) as caught:
        Architecture.from_dict(wrong)
    assert says in str(caught.value)
