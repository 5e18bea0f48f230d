"""Expressions as presentation MathML, for the report."""

from __future__ import annotations

import html
import re

from .._expression import (
    Background,
    Binary,
    Call,
    Comparison,
    Derivative,
    Differential,
    Entry,
    Expression,
    Integral,
    Located,
    Logical,
    Name,
    Negative,
    Normal,
    Number,
    Opaque,
)
from ._text import precedence

_GREEK: dict[str, str] = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ",
    "nu": "ν", "xi": "ξ", "omicron": "ο", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
}  # fmt: skip
_SIGNS = {"<": "&lt;", "<=": "≤", ">": "&gt;", ">=": "≥"}
_TIGHT = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_OWN_FORM = ("sqrt", "abs", "exp", "where", "conj", "real", "imag")
_PARTS = {"real": "Re", "imag": "Im"}


def symbol(name: str) -> str:
    """A name in Greek where it spells a Greek letter: nu is ν, Omega is Ω."""
    letter = _GREEK.get(name.lower())
    if letter is None:
        return html.escape(name)
    return letter.upper() if name[0].isupper() else letter


def _base(name: str) -> tuple[str, str]:
    """A name, and what of it is its subscript."""
    base, _, subscript = name.partition("_")
    if not subscript and (numbered := re.fullmatch(r"(.*?[^\W\d_])(\d+)", name)):
        base, subscript = numbered.groups()
    return base, subscript


def identifier(name: str) -> str:
    """A name, with what follows its underscore, or its trailing digits, as a subscript."""
    base, subscript = _base(name)
    letter = f"<mi>{symbol(base)}</mi>"
    if not subscript:
        return letter
    lower = "".join(f"<mi>{symbol(part)}</mi>" for part in subscript.split("_") if part)
    return f"<msub>{letter}<mrow>{lower or '<mi>_</mi>'}</mrow></msub>"


def mathml_number(value: float) -> str:
    """A number, as a power of ten where that is shorter."""
    if value.is_integer() and abs(value) < 1e6:
        return f"<mn>{value:.0f}</mn>"
    mantissa, _, exponent = f"{value:.6g}".partition("e")
    if not exponent:
        return f"<mn>{mantissa}</mn>"
    power = f"<msup><mn>10</mn><mn>{int(exponent)}</mn></msup>".replace("<mn>-", "<mn>−")
    return power if mantissa == "1" else f"<mrow><mn>{mantissa}</mn><mo>·</mo>{power}</mrow>"


def mathml_of(node: Expression) -> str:
    """An expression as one MathML element."""
    match node:
        case Number(value):
            return mathml_number(value)
        case Name(name):
            return identifier(name)
        case Entry(name, place):
            return f"<msub>{identifier(name)}<mn>{place}</mn></msub>"
        case Derivative(field, _, written):
            return _derivative(field, written)
        case Differential(operand, _, along):
            lower = "".join(f"<mi>{symbol(letter)}</mi>" for letter in _letters(along))
            return f"<msub>{_bracket(mathml_of(operand))}<mrow>{lower}</mrow></msub>"
        case Located(field, index, _, written, arguments):
            head = _derivative(field, written) if any(index) else identifier(field)
            return _at(head, arguments)
        case Normal(field, _, written, arguments):
            return _at(_derivative(field, written), arguments)
        case Negative(operand):
            return f"<mrow><mo>−</mo>{_within(operand, 2)}</mrow>"
        case Binary():
            return _binary(node)
        case Call():
            return _call(node)
        case Comparison(signs, sides):
            shown = [f"<mo>{_SIGNS[sign]}</mo>" for sign in signs]
            row = "".join(a + b for a, b in zip(["", *shown], map(mathml_of, sides), strict=True))
            return f"<mrow>{row}</mrow>"
        case Logical(word, conditions):
            row = f"<mtext>&#xa0;{word}&#xa0;</mtext>".join(_within(part, 0) for part in conditions)
            return f"<mrow>{row}</mrow>"
        case Opaque(function=function, parameters=parameters):
            written = html.escape(f"{getattr(function, '__name__', 'function')}({', '.join(parameters)})")
            return f"<mtext>{written}</mtext>"
        case Background(name, _, parameters):
            arguments = "<mo>,</mo>".join(map(identifier, parameters))
            return f"<mrow>{identifier(name)}{_bracket(arguments)}</mrow>"
        case Integral():
            return _integral(node)


def _integral(node: Integral) -> str:
    """The sign with its bounds, and a differential for each variable; a mean is in angle brackets."""
    inner = _within(node.integrand, 2)
    ends = "" if node.bounds is None else "".join(f"<mrow>{mathml_of(bound)}</mrow>" for bound in node.bounds)
    if node.function == "mean":
        below = "".join(map(identifier, node.variables))
        whole = f"<mrow><mo>⟨</mo>{mathml_of(node.integrand)}<mo>⟩</mo></mrow>"
        return f"<msubsup>{whole}{ends}</msubsup>" if ends else f"<msub>{whole}<mrow>{below}</mrow></msub>"
    sign = f"<msubsup><mo>∫</mo>{ends}</msubsup>" if ends else "<mo>∫</mo>" * len(node.variables)
    steps = "".join(f"<mo>&#x2009;</mo><mi>d</mi>{identifier(name)}" for name in node.variables)
    return f"<mrow>{sign}{inner}{steps}</mrow>"


def _at(head: str, arguments: tuple[Expression, ...]) -> str:
    return f"<mrow>{head}{_bracket('<mo>,</mo>'.join(map(mathml_of, arguments)))}</mrow>"


def _derivative(field: str, written: str) -> str:
    suffix = written[len(field) + 1 :].replace("_", "")
    lower = "".join(f"<mi>{symbol(letter)}</mi>" for letter in _letters(suffix))
    base = identifier(field)
    if base.startswith("<msub>"):  # u_1 has a subscript already: set the derivative beside it, after a comma
        return base.replace("</mrow></msub>", f"<mo>,</mo>{lower}</mrow></msub>")
    return f"<msub>{base}<mrow>{lower}</mrow></msub>"


def _letters(suffix: str) -> list[str]:
    """A suffix cut into Greek names, else letters with their digits."""
    return re.findall("|".join([*sorted(_GREEK, key=len, reverse=True), r"[^\W\d]\d*", "."]), suffix)


def _bracket(inner: str) -> str:
    return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"


def _within(node: Expression, level: int) -> str:
    # A fraction stands by itself: its bar groups it.
    alone = isinstance(node, Binary) and node.operator == "/" and level <= 2
    if isinstance(node, Call) and node.function == "where":  # only its left end is marked
        return _bracket(mathml_of(node))
    return mathml_of(node) if alone or precedence(node) >= level else _bracket(mathml_of(node))


def _binary(node: Binary) -> str:
    operator, left, right = node.operator, node.left, node.right
    if operator == "/":
        return f"<mfrac>{mathml_of(left)}{mathml_of(right)}</mfrac>"
    if operator == "^":
        if isinstance(left, Call) and left.function not in _OWN_FORM:
            return f"<mrow><msup><mi>{left.function}</mi>{mathml_of(right)}</msup>{_argument(left)}</mrow>"
        barred = isinstance(left, Call) and left.function in ("abs", "conj")
        base = _bracket(mathml_of(left)) if isinstance(left, Call) and not barred else _within(left, 5)
        return f"<msup>{base}{mathml_of(right)}</msup>"
    level = _TIGHT[operator]
    a, b = _within(left, level), _within(right, level + (operator == "-"))
    if isinstance(right, Negative):
        b = _bracket(b)
    if operator == "*":
        return f"<mrow>{a}{_times(left, right)}{b}</mrow>"
    return f"<mrow>{a}<mo>{'−' if operator == '-' else '+'}</mo>{b}</mrow>"


def _times(left: Expression, right: Expression) -> str:
    """The sign of a product: a dot before a number and beside a word, `sxx·syy`; a thin space between letters."""
    words = _is_word(left, -1) or (_is_word(right, 0) and not isinstance(left, Number))
    if _starts_with_number(right) or words:
        return "<mo>·</mo>"
    return '<mo rspace="0.15em">&#x2062;</mo>'


def _is_word(node: Expression, end: int) -> bool:
    """Whether what is first (0) or last (-1) in a product is a name of several letters, which another runs into."""
    match node:
        case Binary("*", left, right):
            return _is_word((left, right)[end], end)
        case Binary("^", base, _):
            return _is_word(base, end)
        case Negative(operand):
            return _is_word(operand, end)
        case Name(name) | Entry(name, _) | Derivative(name, _, _) | Background(name, _, _):
            return len(symbol(_base(name)[0])) > 1
        case Located(name, _, _, _, _) | Normal(name, _, _, _):
            return end == 0 and len(symbol(_base(name)[0])) > 1
        case _:
            return False


def _starts_with_number(node: Expression) -> bool:
    match node:
        case Number():
            return True
        case Binary("*" | "^", left, _):
            return _starts_with_number(left)
        case _:
            return False


def _argument(node: Call) -> str:
    return _bracket("<mo>,</mo>".join(map(mathml_of, node.arguments)))


def _cases(condition: str, a: str, b: str) -> str:
    rows = [(a, f"<mtext>&#x2002;if&#xa0;</mtext>{condition}"), (b, "<mtext>&#x2002;otherwise</mtext>")]
    cells = [f"<mtr><mtd>{value}</mtd><mtd>{when}</mtd></mtr>" for value, when in rows]
    brace = '<mo stretchy="true" form="prefix" mathsize="180%">{</mo>'
    return f"<mrow>{brace}<mtable>{''.join(cells)}</mtable></mrow>"


def _call(node: Call) -> str:
    inner, *others = map(mathml_of, node.arguments)
    match node.function:
        case "where":
            return _cases(inner, *others)
        case "sqrt":
            return f"<msqrt>{inner}</msqrt>"
        case "conj":
            return f'<mover accent="true">{inner}<mo>¯</mo></mover>'
        case "real" | "imag":
            return f"<mrow><mi>{_PARTS[node.function]}</mi><mo>&#x2061;</mo>{_argument(node)}</mrow>"
        case "abs":
            return f"<mrow><mo>|</mo>{inner}<mo>|</mo></mrow>"
        case "exp":
            return f"<msup><mi>e</mi>{inner}</msup>"
        case function:
            return f"<mrow><mi>{function}</mi><mo>&#x2061;</mo>{_argument(node)}</mrow>"
