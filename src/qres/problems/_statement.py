"""A problem as mathematics: one MathML table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._mathml import identifier, number

if TYPE_CHECKING:
    from ._problem import Problem


def statement(problem: Problem) -> str:
    """Equations, definitions, conditions, periodic coordinates, the domain and the constants, a row each."""
    rows = [equation.formula.mathml_row() for equation in problem.equations]
    for name, formula in problem.definitions.items():
        rows.append(f"<mrow>{identifier(name)}<mo>=</mo>{formula.mathml_row()}</mrow>")
    rows += dict.fromkeys(condition.mathml_row() for condition in problem.conditions)
    rows += problem.region.mathml if problem.region is not None else ()
    for name, (low, high) in problem.bounds.items():
        around = "<mtext>&#xa0;(periodic)</mtext>" if name in problem.periodic else ""
        rows.append(
            f"<mrow>{identifier(name)}<mo>∈</mo><mo>[</mo>{_signed(low)}<mo>,</mo>{_signed(high)}<mo>]</mo>{around}</mrow>"
        )
    for name, value in problem.constants.items():
        rows.append(f"<mrow>{identifier(name)}<mo>=</mo>{_signed(value)}</mrow>")
    for name in problem.unknowns:
        rows.append(f"<mrow>{identifier(name)}<mo>=</mo><mtext>?</mtext></mrow>")
    cells = "".join(f'<mtr><mtd style="text-align: left">{row}</mtd></mtr>' for row in rows)
    return f'<math display="block"><mtable>{cells}</mtable></math>'


def _signed(value: float) -> str:
    return number(value) if value >= 0 else f"<mrow><mo>−</mo>{number(-value)}</mrow>"
