"""From experiments to tables and figures: runs, their records, and a page that shows everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from qres import sweep
from qres.plots import save
from qres.runtime.cores import cores
from qres.runtime.errors import InputError
from qres.runtime.files import replace_file

from ._catalogue import EXPERIMENTS, chosen
from ._experiment import Experiment
from ._page import sections
from ._plan import make_plan
from ._record import Record, Records
from ._scale import PAPER, Scale

Notify = Callable[[str], object]


@dataclass(frozen=True)
class Reproduction:
    """What was made: experiments and the records behind them, why runs failed, and the page that shows all."""

    experiments: tuple[Experiment, ...]
    records: Records
    failed: dict[str, str]
    page: Path


def reproduce(
    names: Sequence[str],
    out: str | Path,
    *,
    scale: Scale = PAPER,
    seeds: int | None = None,
    executor: str | Executor = "processes",
    workers: int | None = None,
    only: Sequence[str] = (),
    run: bool = True,
    record: str | Path | None = None,
    progress: bool = True,
    notify: Notify = print,
) -> Reproduction:
    """Run experiments of the paper, and draw their tables and figures.

    Args:
        names: of experiments, or "all".
        out: a folder for `runs/`, `results/` (a record of each run), `tables/`, `figures/` and `README.md`.
        scale: how long the runs are.
        seeds: how many, 0, 1, …; by default those of the scale.
        executor: as in `sweep.run`.
        workers: as in `sweep.run`.
        only: parts of names; runs that have none of them are not started.
        run: False draws what is there and starts nothing.
        record: one more folder for the records.
        progress: whether to show any.
        notify: called with the plan before anything is run.
    """
    experiments, folder = chosen(names), Path(out)
    plan = make_plan(experiments, scale, scale.seeds if seeds is None else seeds, folder / "runs", only)
    notify(plan.describe(_at_once(executor, workers)))
    outcomes, failed = dict(plan.found), {}
    if run and len(plan.found) < len(plan.runs):
        done = sweep.run(plan.jobs, folder / "runs", executor=executor, workers=workers, progress=progress)
        outcomes = {outcome.job.name: outcome for outcome in done if outcome.error is None}
        failed = {outcome.job.name: outcome.error for outcome in done if outcome.error is not None}
    made = [variant.record(outcomes[job.name], scale) for variant, job in plan.runs if job.name in outcomes]
    if record is not None:
        _keep(made, Path(record))
    _keep(made, folder / "results")
    records = Records.read(folder / "results", scale.name)
    for experiment in experiments:
        _draw(experiment, records, folder)
    page = _write_page(folder, records, failed, scale)
    return Reproduction(tuple(experiments), records, failed, page)


def _keep(made: Sequence[Record], folder: Path) -> None:
    """Write records into a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for record in made:
            record.save(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None


def _draw(experiment: Experiment, records: Records, folder: Path) -> None:
    """The files of one experiment."""
    for name in ("tables", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    experiment.table(records).save(folder / "tables", experiment.name)
    drawn = None if experiment.figure is None else experiment.figure(records)
    if drawn is not None:
        for suffix in ("png", "pdf"):
            save(drawn, folder / "figures" / f"{experiment.name}.{suffix}")


def _write_page(folder: Path, records: Records, failed: dict[str, str], scale: Scale) -> Path:
    """Everything in the folder, on one page."""

    def picture(name: str) -> str | None:
        return f"figures/{name}.png" if (folder / "figures" / f"{name}.png").is_file() else None

    shown = [e for e in EXPERIMENTS.values() if len(e.not_run(records)) < len(e.variants)]
    head = (
        f"# The paper's experiments, {scale.name} scale\n\n"
        f"Written by `qres reproduce`. {len(records)} runs are recorded in `results/`, one file each; their folders, "
        "with a report page each, are in `runs/`. `tables/` has every table as text, Markdown, LaTeX and CSV, "
        "`figures/` every figure as PNG and PDF.\n"
    )
    lost = "".join(f"- {name}: {why}\n" for name, why in failed.items())
    text = head + (f"\n**Failed:**\n\n{lost}" if lost else "") + sections(shown, records, picture, {})
    return replace_file(folder / "README.md", text.encode())


def _at_once(executor: str | Executor, workers: int | None) -> int:
    """How many runs go at once, as far as that is known here."""
    most = cores()
    return min(workers or most, most) if executor == "processes" else workers or most
