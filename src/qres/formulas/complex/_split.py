"""A formula of complex fields as one or two formulas of real ones."""

from __future__ import annotations

from collections.abc import Collection

from qres.runtime.errors import InputError

from .._expression import Expression
from .._formula import Formula
from .._symbolic import ZERO
from ..notation import text_of
from ._parts import parts


def split_formula(formula: Formula, names: Collection[str], where: str) -> tuple[Formula, Formula | None]:
    """The real and the imaginary part of a formula; None in place of the latter where it vanishes identically.

    The sides stay what they are, so that `h(0, x) = g` still gives a value. Their text reads back as themselves.
    """
    try:
        left = parts(formula.left, frozenset(names))
        right = None if formula.right is None else parts(formula.right, frozenset(names))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    real, imaginary = (_formula(left[k], None if right is None else right[k]) for k in (0, 1))
    is_real = left[1] == ZERO and (right is None or right[1] == ZERO)
    return real, None if is_real else imaginary


def _formula(left: Expression, right: Expression | None) -> Formula:
    text = text_of(left) if right is None else f"{text_of(left)} = {text_of(right)}"
    return Formula(text, left, right)
