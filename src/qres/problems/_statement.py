"""A problem as mathematics: one MathML table."""

from __future__ import annotations

from qres.formulas import identifier, mathml_number, modulus_name, part_names
from qres.posed import Posed


def statement(posed: Posed) -> str:
    """Equations, definitions, conditions, periodic coordinates, the domain and the constants, a row each."""
    rows = list(dict.fromkeys(equation.formula.mathml_row() for equation in posed.equations))
    rows += _definitions(posed)
    rows += dict.fromkeys(condition.mathml_row() for condition in posed.conditions)
    rows += posed.region.mathml if posed.region is not None else ()
    for name, (low, high) in posed.bounds.items():
        around = "<mtext>&#xa0;(periodic)</mtext>" if name in posed.periodic else ""
        rows.append(
            f"<mrow>{identifier(name)}<mo>∈</mo><mo>[</mo>{_signed(low)}<mo>,</mo>{_signed(high)}<mo>]</mo>{around}</mrow>"
        )
    for name, value in posed.constants.items():
        rows.append(f"<mrow>{identifier(name)}<mo>=</mo>{_signed(value)}</mrow>")
    for name in posed.unknowns:
        rows.append(f"<mrow>{identifier(name)}<mo>=</mo><mtext>?</mtext></mrow>")
    cells = "".join(f'<mtr><mtd style="text-align: left">{row}</mtd></mtr>' for row in rows)
    return f'<math display="block"><mtable>{cells}</mtable></math>'


def _definitions(posed: Posed) -> list[str]:
    """A row for each definition; the parts of a complex one are one, and its modulus says nothing new."""
    complex_names = {part: name for name in posed.complex for part in part_names(name)}
    moduli = {modulus_name(name) for name in posed.complex}
    rows = [
        f"<mrow>{identifier(complex_names.get(name, name))}<mo>=</mo>{formula.mathml_row()}</mrow>"
        for name, formula in posed.definitions.items()
        if name not in moduli
    ]
    return list(dict.fromkeys(rows))


def _signed(value: float) -> str:
    return mathml_number(value) if value >= 0 else f"<mrow><mo>−</mo>{mathml_number(-value)}</mrow>"
