"""The code of docs/extending.md runs, section by section, and does what the text around it says."""

from pathlib import Path

import numpy as np
import pytest

from qres.geometry import SAMPLERS
from qres.jets import ACTIVATIONS
from qres.networks._kinds import FAMILIES
from qres.optimizers import OPTIMIZERS
from qres.posed.evaluator import TERMS

PAGE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text()
# What comes out of each section's blocks, run as one program.
OUTCOMES = {
    "Optimizer": lambda of: (
        of["solution"].result.optimizer == "my-adamw:100,ssbroyden"
        and of["solution"].result.loss < 1e-4
        and of["descended"].result.iterations == 100
    ),
    "Activation": lambda of: all(solution.result.loss < 1e-4 for solution in of["solutions"]),
    "Layer": lambda of: of["solution"].result.loss < 1e-4,
    "Network": lambda of: (
        of["solution"].result.loss < 1e-4
        and of["resumed"].result.iterations == 60
        and of["loaded"]("y", t=0.3) == of["resumed"]("y", t=0.3)
        and len({outcome.result.loss for outcome in of["runs"]}) == 2
    ),
    "Sampler": lambda of: of["solution"].result.loss < 1e-4,
    "Loss term": lambda of: (
        abs(of["solution"].result.unknowns["k"].value - 0.1) < 1e-2
        and "flux" in of["solution"].history[-1].terms
        and of["solution"].result.weights["flux"] == 10.0
    ),
    "Callback": lambda of: of["seen"] and of["solution"].result.stopped.message.endswith("good enough"),
    "Geometry": lambda of: (
        of["solution"].problem.is_text
        and of["solution"].problem.region.contains(np.array([[0.0, 1.2], [0.0, 1.2]])).tolist()
        == [True, False]
        and of["loaded"]("u", x=0.1, y=0.2) == of["solution"]("u", x=0.1, y=0.2) > 0
    ),
}


def programs():
    """By title, the section's Python blocks as one program."""
    sections = (section.partition("\n") for section in PAGE.split("\n## ")[1:])
    return {
        title: "\n".join(part.partition("\n```")[0] for part in text.split("```python\n")[1:])
        for title, _, text in sections
    }


PROGRAMS = programs()


def test_every_section_is_run():
    assert set(PROGRAMS) == set(OUTCOMES)


@pytest.mark.parametrize("title", OUTCOMES)
def test_a_section_runs_by_itself(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for registry in (ACTIVATIONS, FAMILIES, OPTIMIZERS, SAMPLERS, TERMS):
        monkeypatch.setattr(registry, "added", {})
    names = {"__name__": "guide"}
    exec(compile(PROGRAMS[title], "docs/extending.md", "exec"), names)
    assert OUTCOMES[title](names)
