"""Computes the wake: `python -m qres.reference.wake`. An interrupted computation is resumed."""

import argparse
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from qres.runtime.cache import cache_folder
from qres.runtime.errors import InputError

from ..wake import FILE, REYNOLDS
from .modes import WINDOW, Modes, fit
from .residual import residual

# More in either direction adds only the noise of the elements' edges to the derivatives.
DEGREES = (64, 72)


def check(modes: Modes) -> Modes:
    """The modes with their residual among the facts; a `ValueError` if they are not the wake meant."""
    t = np.linspace(0, modes.period, 24, endpoint=False)
    x, y = (np.linspace(*bounds, count) for bounds, count in zip(WINDOW, (100, 50), strict=True))
    found = residual(modes, 1 / REYNOLDS, t, x, y)
    facts = dict(modes.facts) | {
        f"{name}_residual": getattr(found, name) for name in ("momentum", "divergence")
    }
    facts |= {name: getattr(found, name) for name in ("lambda_1", "lambda_2")}
    limits = {"strouhal": (0.167, 0.171), "lift_misfit": (0, 1e-4), "momentum_residual": (0, 1e-3)}
    for name, (low, high) in limits.items():
        if not low <= facts[name] <= high:
            raise InputError(
                f"the wake is not as it should be: {name} is {facts[name]:.4g}, not in [{low}, {high}]"
            )
    return replace(modes, facts=facts)


def main() -> None:
    """Simulate, or go on with it; fit the modes; check them; write the file that the package ships."""
    parser = argparse.ArgumentParser(prog="python -m qres.reference.wake", description=main.__doc__)
    parser.add_argument(
        "--folder", type=Path, default=cache_folder() / "reference" / "wake", help="for checkpoints"
    )
    parser.add_argument("--output", type=Path, default=FILE, help="the file of modes to write")
    options = parser.parse_args()
    if importlib.util.find_spec("ngsolve") is None:
        sys.exit("The simulation needs ngsolve: pip install 'qres-pde[wake]'")
    from .run import STAGES, simulate

    record = simulate(options.folder)
    force_times = STAGES[-1].step * np.arange(1, len(record.forces) + 1)
    late = force_times >= record.times[0]
    forces = np.array(record.forces)
    modes = check(
        fit(np.array(record.times), np.array(record.fields), force_times[late], forces[late], DEGREES)
    )
    modes.save(options.output)
    for name, value in modes.facts.items():
        print(f"{name} = {value:.8g}")


if __name__ == "__main__":
    main()
