"""Spectra of a network's output against the epochs of its training."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from jaxtyping import Complex, Float

from qres.data import Data
from qres.networks import Architecture
from qres.problems import Problem
from qres.runs import RunFolder
from qres.runtime.errors import InputError, whole_number
from qres.solution import load
from qres.training import solve

_PRESENT = 0.01  # of the largest amplitude: a frequency with less is not one of the target's


def spectral_bias(
    target: Float[np.ndarray, " n"],
    architecture: Architecture,
    *,
    epochs: int | Sequence[int] = 20_000,
    circle: bool = True,
    optimizer: str = "adam",
    seed: int = 0,
    run: str | Path | None = None,
    progress: bool = True,
) -> xr.Dataset:
    """Fit a network to values, and see which of their frequencies it has learnt at which epoch.

    Networks learn low frequencies first (Rahaman et al., ICML 2019). The loss is the mean square over all points.

    Args:
        target: values at evenly spaced points of one period; the first point is not repeated at the end.
        architecture: of the network. On a circle its inputs are `cos(kθ), sin(kθ)` for k up to its `harmonics`.
        epochs: at which to look, the last of them the end of the training; or only that.
        circle: the points lie on a circle; else on the interval [0, 1), which knows nothing of a period.
        optimizer: its name; one stage.
        seed: of the weights.
        run: a new folder to keep everything in; by default nothing is kept.
        progress: whether to show any.

    Returns:
        What `bias_of_run` says.
    """
    values = np.asarray(target, dtype=float)
    if values.ndim != 1 or len(values) < 4:
        raise InputError(f"target must be four values or more in a row, not of shape {values.shape}")
    snapshots = tuple(epochs_between(10, epochs) if isinstance(epochs, int) else epochs)
    if not snapshots:
        raise InputError("epochs must name one epoch or more")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "run" if run is None else Path(run)
        solve(
            _fitting_problem(values, circle=circle),
            architecture,
            optimizer=f"{optimizer}:{max(snapshots)}",
            seed=seed,
            run=folder,
            snapshots=snapshots,
            progress=progress,
        )
        return bias_of_run(folder, values)


def bias_of_run(folder: Path, target: Float[np.ndarray, " n"]) -> xr.Dataset:
    """The spectra of a run's snapshots, for a problem with one coordinate and one field.

    Args:
        folder: of a run that kept snapshots.
        target: at evenly spaced points of the domain, the end left out.

    Returns:
        Over `epoch`, `frequency` (periods within the domain) and `point`: the `amplitude` of each frequency, the
        amplitude `missing` of the difference from the target, the `fit`; of the target its `target_amplitude` and
        `target`.
    """
    snapshots = RunFolder.open(folder).snapshots()
    if not snapshots:
        raise InputError(f"{folder}: the run has kept no snapshots")
    solutions = [load(file) for file in snapshots.values()]
    problem = solutions[0].problem
    if len(problem.coordinates) != 1 or len(problem.fields) != 1:
        raise InputError(
            f"{folder}: spectra are those of one field of one coordinate, as problem {problem.name!r} is not"
        )
    ((coordinate, (low, high)),) = problem.bounds.items()
    points = low + (high - low) * np.arange(len(target)) / len(target)
    fit = np.stack([solution(problem.fields[0], **{coordinate: points}) for solution in solutions])
    return xr.Dataset(
        {
            "amplitude": (("epoch", "frequency"), amplitudes(fit)),
            "missing": (("epoch", "frequency"), amplitudes(fit - target)),
            "fit": (("epoch", "point"), fit),
            "target_amplitude": ("frequency", amplitudes(target)),
            "target": ("point", target),
        },
        coords={"epoch": list(snapshots), "frequency": np.arange(len(target) // 2 + 1), "point": points},
    )


def amplitudes(values: Float[np.ndarray, "*rows n"]) -> Float[np.ndarray, "*rows frequencies"]:
    """The amplitude of each frequency k = 0 … n/2: a sine `a·sin(kθ)` has the amplitude |a|.

    Args:
        values: at n evenly spaced points of one period, along the last axis.
    """
    count = values.shape[-1]
    coefficients: Complex[np.ndarray, "*rows frequencies"] = np.fft.rfft(values) / count
    both_sides = np.full(coefficients.shape[-1], 2.0)
    both_sides[0] = 1.0
    if count % 2 == 0:
        both_sides[-1] = 1.0
    return both_sides * np.abs(coefficients)


def epochs_between(first: int, last: int, count: int = 24) -> list[int]:
    """About `count` epochs, evenly spaced on a logarithmic scale, the ends included."""
    whole_number(last, 1, "epochs")
    spaced = np.geomspace(min(first, last), last, count)
    return sorted({round(epoch) for epoch in spaced.tolist()})


def target_frequencies(bias: xr.Dataset) -> list[int]:
    """The frequencies that the target has."""
    amplitude = bias["target_amplitude"].values
    return bias["frequency"].values[amplitude > _PRESENT * amplitude.max()].tolist()


def learnt_at(bias: xr.Dataset, share: float = 0.5) -> dict[int, int | None]:
    """For each frequency of the target, the first epoch from which on at most `1 - share` of it is missing.

    Args:
        bias: what `spectral_bias` found.
        share: of the amplitude.

    Returns:
        None for a frequency that was not learnt; epochs between two snapshots count as the later one.
    """
    found: dict[int, int | None] = {}
    for k in target_frequencies(bias):
        missing = bias["missing"].sel(frequency=k) / bias["target_amplitude"].sel(frequency=k)
        late = np.flatnonzero(missing.values > 1 - share)
        first = 0 if not late.size else int(late[-1]) + 1
        found[k] = int(bias["epoch"][first]) if first < bias.sizes["epoch"] else None
    return found


def _fitting_problem(values: Float[np.ndarray, " n"], *, circle: bool) -> Problem:
    coordinate, high = ("theta", 2 * np.pi) if circle else ("x", 1.0)
    points = high * np.arange(len(values)) / len(values)
    return Problem(
        [],
        {coordinate: (0.0, float(high))},
        fields=["y"],
        periodic=[coordinate] if circle else [],
        data=Data({coordinate: points, "y": values}),
        name="spectral-bias",
    )
