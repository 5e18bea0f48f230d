"""Where integrals may stand in a problem, and where they may not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qres.formulas import Derivative, Expression, Formula, Located, integrals_in, integrals_through, walk
from qres.runtime.errors import InputError, shorten

from ._posed import Posed


def check_integrals(posed: Posed, transform: Mapping[str, Formula]) -> None:
    """An error where an integral stands in what has a value at a point only, or would have to be differentiated."""
    for what, formulas in (("exact", posed.exact), ("transform", transform)):
        for name, formula in formulas.items():
            if found := integrals_in([formula.residual]):
                raise InputError(f"{what} {name!r}: {shorten(found[0].text)} cannot stand there")
    if not posed.integrals:
        return
    if posed.region is not None:
        raise InputError(
            f"{shorten(posed.integrals[0].text)}: integrals are over a whole box, and the problem has `inside`"
        )
    integrated = {
        name
        for name, formula in posed.definitions.items()
        if integrals_through(posed.definitions, [formula.residual], ())
    }
    for formula in _formulas(posed):
        for part in _derivatives(formula.residual):
            if part.field in integrated:
                raise InputError(
                    f"{shorten(formula.text)!r}: {part.written} is a derivative of an integral; "
                    "take that of what is integrated"
                )


def _formulas(posed: Posed) -> Iterator[Formula]:
    for one in (*posed.equations, *posed.conditions):
        yield one.formula
    yield from posed.definitions.values()


def _derivatives(node: Expression) -> Iterator[Derivative | Located]:
    for part in walk(node):
        if isinstance(part, Derivative | Located) and any(part.index):
            yield part
    for integral in integrals_in([node]):
        yield from _derivatives(integral.integrand)
