"""The wake's simulation: a coarse stage that finds the limit cycle, a fine one that is sampled. Resumable."""

# ngsolve is an extra: without it, its names have no types.
# pyright: reportMissingImports=false

import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import ngsolve as ng
import numpy as np
from jaxtyping import Float

from .flow import Flow
from .modes import chebyshev_points


@dataclass(frozen=True)
class Stage:
    """A part of the simulation: degree of the velocity, time step, duration, and when to begin to sample."""

    order: int
    step: float
    duration: float
    sample_from: float | None = None
    sample_every: float = 0.1

    @property
    def steps(self) -> int:
        """How many steps the stage takes."""
        return round(self.duration / self.step)

    def samples(self, step: int) -> bool:
        """Whether the fields are sampled after this step (counted from 1)."""
        if self.sample_from is None:
            return False
        stride, first = round(self.sample_every / self.step), round(self.sample_from / self.step)
        return step >= first and (step - first) % stride == 0


# P4 reaches the limit cycle, P6 converges it; larger steps blow up or are silently wrong.
STAGES = (Stage(4, 0.01, 150.0), Stage(6, 0.005, 45.0, 27.0))


@dataclass
class Record:
    """What a stage leaves: forces after every step (steps 2), sampled times (n), fields (n 3 points)."""

    forces: list[tuple[float, float]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    fields: list[Float[np.ndarray, "3 points"]] = field(default_factory=list)


def _identity(flow: Flow) -> Float[np.ndarray, "_"]:
    """What a checkpoint must agree on: degree, step, and the mesh."""
    vertices = [coordinate for vertex in flow.mesh.vertices for coordinate in vertex.point]
    return np.array([flow.order, flow.step, *vertices])


def _save(path: Path, flow: Flow, record: Record) -> None:
    vectors = [flow.field.vec, *flow.previous, *flow.convected]
    temporary = path.with_suffix(".part")
    with temporary.open("wb") as file:
        np.savez(
            file,
            identity=_identity(flow),
            vectors=np.concatenate([vector.FV().NumPy() for vector in vectors]),
            forces=np.array(record.forces),
            times=np.array(record.times),
            fields=np.array(record.fields),
        )
    temporary.replace(path)


def _restore(path: Path, flow: Flow) -> Record | None:
    """Fill the flow from a checkpoint; `None` when there is none, or none of this flow."""
    try:
        with np.load(path, allow_pickle=False) as file:
            stored = dict(file)
    except (OSError, ValueError, zipfile.BadZipFile):
        return None
    if not np.array_equal(stored["identity"], _identity(flow)):
        return None
    start = 0
    for vector in [flow.field.vec, *flow.previous, *flow.convected]:
        vector.FV().NumPy()[:] = stored["vectors"][start : start + len(vector)]
        start += len(vector)
    forces = [(float(drag), float(lift)) for drag, lift in stored["forces"]]
    return Record(forces, list(stored["times"]), list(stored["fields"]))


def _initial() -> ng.CoefficientFunction:
    """A uniform stream with an upward bump behind the cylinder: without it, symmetry delays the shedding."""
    return ng.CF((1 + 0 * ng.x, 0.5 * ng.exp(-((ng.x - 1.5) ** 2) - ng.y**2)))


def _sample(
    flow: Flow, x: Float[np.ndarray, "points"], y: Float[np.ndarray, "points"]
) -> Float[np.ndarray, "3 points"]:
    points = flow.mesh(x, y)
    velocity, pressure = flow.field.components
    return np.vstack([np.asarray(velocity(points)).T, np.asarray(pressure(points)).reshape(1, -1)])


def _stage(number: int, stage: Stage, path: Path, before: Flow | None, every: float) -> tuple[Flow, Record]:
    """Run a stage, or go on with it from the checkpoint at `path`."""
    flow = Flow(stage.order, stage.step)
    record = _restore(path, flow)
    if record is None:
        record = Record()
        flow.start(_initial() if before is None else before.field.components[0])
    x, y = (axis.ravel() for axis in np.meshgrid(*chebyshev_points(), indexing="ij"))
    saved = time.monotonic()
    for step in range(len(record.forces) + 1, stage.steps + 1):
        drag, lift = flow.advance()
        record.forces.append((drag, lift))
        where = f"stage {number} (P{stage.order}), step {step} of {stage.steps}, t = {step * stage.step:.2f}"
        if not np.isfinite([drag, lift]).all():
            raise FloatingPointError(f"the wake is not finite at {where}: a smaller step is needed")
        if stage.samples(step):
            record.times.append(step * stage.step)
            record.fields.append(_sample(flow, x, y))
        if step == stage.steps or time.monotonic() - saved > every:
            _save(path, flow, record)
            saved = time.monotonic()
            print(f"{where}: drag {drag:.5f}, lift {lift:+.5f}", flush=True)
    return flow, record


def simulate(folder: Path, stages: tuple[Stage, ...] = STAGES, every: float = 20.0) -> Record:
    """Run all stages, going on from the checkpoints in `folder`; prints one line at every checkpoint.

    Args:
        folder: where the checkpoints are; a second call with the same folder goes on where the first was.
        stages: one after the other, each beginning from the last field of the one before.
        every: seconds between checkpoints.

    Returns:
        The record of the last stage.
    """
    folder.mkdir(parents=True, exist_ok=True)
    flow, record = None, Record()
    for number, stage in enumerate(stages, start=1):
        flow, record = _stage(number, stage, folder / f"stage-{number}.npz", flow, every)
    return record
