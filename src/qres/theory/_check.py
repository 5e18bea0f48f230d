"""A claim of the paper, tested on a table of architectures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ._architecture import Architecture
from ._dimension import dimension


@dataclass(frozen=True)
class Check:
    """A table of computed cases, and whether the claim holds in each.

    Args:
        name: "Proposition 1", ...; of a survey without a claim, what it shows.
        claim: what the paper states, in one line.
        corrected: what is true instead, in one line.
        columns: headings.
        rows: cells as text, one row a case.
        holds: whether the claim holds, one a row; empty for a survey.
    """

    name: str
    claim: str
    corrected: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    holds: tuple[bool, ...]

    @property
    def counterexamples(self) -> tuple[tuple[str, ...], ...]:
        """The rows in which the claim fails."""
        return (
            tuple(row for row, holds in zip(self.rows, self.holds, strict=True) if not holds)
            if self.holds
            else ()
        )

    @property
    def verdict(self) -> str:
        """One line: in how many cases the claim holds."""
        if not self.holds:
            return f"{len(self.rows)} networks"
        good = sum(self.holds)
        return (
            f"holds in {good} of {len(self.holds)} cases" if good < len(self.holds) else "holds in every case"
        )

    def marked_rows(self) -> tuple[tuple[str, ...], ...]:
        """The rows, each with "yes" or "no" behind it if there is a claim."""
        if not self.holds:
            return self.rows
        return tuple(
            (*row, "yes" if holds else "no") for row, holds in zip(self.rows, self.holds, strict=True)
        )

    def marked_columns(self) -> tuple[str, ...]:
        """The headings that go with `marked_rows`."""
        return (*self.columns, "holds") if self.holds else self.columns


def fraction(architecture: Architecture) -> str:
    """Dimension of ambient dimension, as `5 / 6`."""
    return f"{dimension(architecture).value} / {architecture.ambient}"


def listing(numbers: Sequence[int | float]) -> str:
    """Numbers with commas, rounded to two places: `3,4` or `1.5,2`."""
    return ",".join(f"{number:.2f}".rstrip("0").rstrip(".") for number in numbers)
