"""The protocol of symbolic values, which elementary functions accept as arguments."""

from __future__ import annotations

from typing import Any


class Symbolic:
    """Stands for a value of which only the expression is known; `qres.formulas` has the one that is used."""

    def called(self, function: str, arguments: tuple[Any, ...]) -> Any:
        """What a function of these arguments is, of which this is one."""
        raise NotImplementedError


def symbol_in(*values: Any) -> Symbolic | None:
    """The first symbol among values."""
    return next((value for value in values if isinstance(value, Symbolic)), None)
