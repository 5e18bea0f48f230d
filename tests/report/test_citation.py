"""What to cite for a run."""

import jax
import pytest

import qres
from qres.networks import Architecture
from qres.report import _citation
from qres.residuals import create_model
from qres.results import Record, Result
from qres.solution import Solution

HEAT = ["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u(t, 1) = 0"]


def solution(network="mlp", optimizers=(), weights=None, **options):
    problem = qres.Problem("u_t = u_xx", {"t": (0, 1), "x": (0, 1)}, HEAT, **options)
    built = Architecture(network, width=4, depth=1).build(problem, key=jax.random.key(0))
    history = [Record(optimizer=name) for name in optimizers]
    return Solution(
        problem, create_model(problem, built), Result(network=network, weights=weights or {}), history
    )


def keys(found):
    return {entry.key for entry in found}


ALWAYS = keys(qres.citation())


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ({}, set()),
        ({"network": "qres"}, {"bu2021quadratic"}),
        ({"network": "qdn", "weights": {"initial": 3.0}}, {"fan2018new", "wang2022when"}),
        (
            {"optimizers": ["adam", "lbfgs"]},
            {"kingma2015adam", "byrd1994representations", "wu2023comprehensive"},
        ),
        ({"hard": True}, {"gordon1971blending"}),
    ],
)
def test_what_a_run_used_is_cited(what, expected):
    assert keys(qres.citation(solution(**what))) == ALWAYS | expected


def test_every_network_and_optimizer_has_an_entry():
    entries = _citation._entries()
    named = [
        key
        for table in (_citation._NETWORKS, _citation._OPTIMIZERS)
        for keys in table.values()
        for key in keys
    ]
    assert {*named, *_citation._ALWAYS} <= set(entries)
    from qres.optimizers._named import OPTIMIZERS

    assert set(OPTIMIZERS.built_in) <= set(_citation._OPTIMIZERS)


def test_text_and_bibtex():
    found = qres.citation(solution(optimizers=["ssbroyden"]))
    assert "the optimizer, ssbroyden: Urbán, Jorge F. et al. (2024). Unveiling" in str(found)
    assert found.bibtex.count("@") == len(found)
    assert f"version = {{{qres.__version__}}}" in found.bibtex
    for entry in found:
        assert entry.bibtex.count("{") == entry.bibtex.count("}")
