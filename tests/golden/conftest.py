"""One constant, or more, of every heuristic by which something that is saved is decided, and another value for it."""

from importlib import import_module

import pytest

HEURISTICS = {
    "qres.ansatz._proof.TOLERANCE": 1e3,
    "qres.ansatz._candidates._TRIED": 50,
    "qres.ansatz._release._FAST": 1e9,
    "qres.ansatz.kinks._kinks.SAME": 1e3,
    "qres.ansatz.kinks._waves._MOST": 8,
    "qres.ansatz.kinks._waves._DAMPING": -1.0,
    "qres.ansatz.kinks._scattering._MOST": 3,
    "qres.ansatz.kinks._smoothing._IMAGES": 0,
    "qres.ansatz.kinks._smoothing._FAR": 40.0,
    "qres.ansatz.kinks._smoothing._FIRST": 1e-3,
    "qres.ansatz._surfaces._TRIED": 50,
    "qres.ansatz._surfaces._APART": 10.0,
    "qres.networks._frequencies._LONGEST": 3.0,
    "qres.residuals._forcing._STEPS": 1,
    "qres.residuals._scales._SAMPLES": 3,
    "qres.residuals._trial.LEAST": 1e3,
    "qres.residuals._units._LEAST": 1e3,
}


@pytest.fixture
def change_all(monkeypatch):
    """Changes them all, from when it is called to the end of the test."""

    def change():
        for place, value in HEURISTICS.items():
            module, name = place.rsplit(".", 1)
            assert hasattr(import_module(module), name), place
            monkeypatch.setattr(place, value)

    return change
