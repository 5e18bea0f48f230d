"""Experiments as Markdown: table, figure, missing runs, and deviations from the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ._experiment import Experiment
from ._plan import duration
from ._record import Records
from ._table import Table

Picture = Callable[[str], str | None]


def sections(
    experiments: Sequence[Experiment], records: Records, picture: Picture, remarks: Mapping[str, str]
) -> str:
    """A section for each experiment.

    Args:
        experiments: those to show.
        records: what was run.
        picture: the path of an experiment's figure, as the page has to name it; None where there is none.
        remarks: written by hand, by experiment.
    """
    return "".join(_section(e, records, picture(e.name), remarks.get(e.name)) for e in experiments)


def _section(experiment: Experiment, records: Records, picture: str | None, remark: str | None) -> str:
    table = experiment.table(records)
    parts = [f"## {experiment.title}", experiment.about, _describe_runs(experiment, records)]
    if experiment.is_begun(records):
        parts.append(table.markdown().rstrip())
        if picture is not None:
            parts.append(f"![{experiment.title}]({picture})")
    if remark is not None:
        parts.append(remark.strip())
    elif far := _far(table):
        parts.append(
            f"**Not explained yet:** more than three times the paper's number, or less than a third: {far}."
        )
    return "\n" + "\n\n".join(parts) + "\n"


def _describe_runs(experiment: Experiment, records: Records) -> str:
    """How much is behind the table, the command, and what is missing."""
    command = f"`qres reproduce {experiment.name}`"
    runs = [record for variant in experiment.variants for record in records[variant.name]]
    if not experiment.is_begun(records):
        shared = f" There are {len(runs)} runs that it shares with others." if runs else ""
        return f"**Not run.** {command} would.{shared}"
    days = sorted({record.date[:10] for record in runs})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    taken = duration(sum(record.result.seconds for record in runs))
    text = f"{command}: {len(runs)} runs, {taken} in all, {when}, {_versions(runs[-1].versions)}."
    missing = [variant.name for variant in experiment.not_run(records)]
    return text + (f" **Not run:** {', '.join(missing)}." if missing else "")


def _versions(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {versions[name]}" for name in ("qres-pde", "jax") if name in versions)


def _far(table: Table) -> str:
    return "; ".join(", ".join(filter(None, line.labels)) for line in table.lines if line.is_far)
