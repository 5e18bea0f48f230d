"""Complex expressions split into real and imaginary parts: checked against Python's complex arithmetic."""

import cmath

import pytest

from qres.formulas import evaluate, read_formula, split_formula
from qres.formulas._scope import Scope
from qres.runtime.errors import InputError

SCOPE = Scope(("x",), ("h", "u"), complex=("h",))
H, U, X = -0.7 + 0.4j, 1.3, 0.6
VALUES = {"h_re": H.real, "h_im": H.imag, "u": U, "x": X}
CASES = {
    "i*h": 1j * H,
    "(2 - 3i)*h/u": (2 - 3j) * H / U,
    "abs(h)^2*h": abs(H) ** 2 * H,
    "conj(h)*h": abs(H) ** 2,
    "real(h) + i*imag(h)": H,
    "1/h": 1 / H,
    "u/(i*h)": U / (1j * H),
    "h^3 - h^-2": H**3 - H**-2,
    "h^0.5": H**0.5,
    "2^h": 2**H,
    "h^h": H**H,
    "i^2": -1,
    "exp(i*x)": cmath.exp(1j * X),
    "exp(h)": cmath.exp(H),
    "log(h)": cmath.log(H),
    "sqrt(h)": cmath.sqrt(H),
    "sin(h)*cos(h)": cmath.sin(H) * cmath.cos(H),
    "tan(h) + tanh(h)": cmath.tan(H) + cmath.tanh(H),
    "sinh(h) - cosh(h)": cmath.sinh(H) - cmath.cosh(H),
    "sech(h)": 1 / cmath.cosh(H),
    "arg(h)": cmath.phase(H),
    "arg(-conj(h))": cmath.phase(-H.conjugate()),
    "arg(-2*h^0)": cmath.pi,
    "where(x < abs(h), h, i)": H,
    "max(real(h), u)": U,
    "erf(x)*h": H * 0.6038560908479259,
}


@pytest.mark.parametrize("text", CASES)
def test_parts_are_those_of_complex_arithmetic(text):
    real, imaginary = split_formula(read_formula(text, SCOPE, "formula"), SCOPE.complex, "formula")
    found = complex(evaluate(real.left, VALUES), 0 if imaginary is None else evaluate(imaginary.left, VALUES))
    assert found == pytest.approx(CASES[text], rel=1e-13)
    read = read_formula(real.text, Scope(("x",), ("h_re", "h_im", "u")), "formula")
    assert evaluate(read.left, VALUES) == evaluate(real.left, VALUES)  # as text it is the same


def test_what_is_real_has_no_imaginary_part():
    for text in ("u*x", "abs(h)", "real(h)^2", "h*conj(h)", "imag(conj(h)*h_x)"):
        real, imaginary = split_formula(read_formula(text, SCOPE, "formula"), SCOPE.complex, "formula")
        if text == "h*conj(h)":
            continue  # seen by value only: a b - b a is no zero of its text
        assert imaginary is None, real.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max(h, 1)", "'h' is complex and cannot be compared"),
        ("where(h < 1, 1, 0)", "cannot be compared"),
        ("erf(h)", "erf takes a real argument"),
    ],
)
def test_what_has_no_parts(text, message):
    with pytest.raises(InputError, match=message):
        split_formula(read_formula(text, SCOPE, "formula"), SCOPE.complex, "formula")


def test_the_imaginary_unit_is_known_only_with_complex_fields():
    with pytest.raises(InputError, match="imaginary unit where fields are declared complex"):
        read_formula("i*u", Scope(("x",), ("u",)), "formula")
    with pytest.raises(InputError, match="'2j' is not allowed"):
        read_formula("2i*u", Scope(("x",), ("u",)), "formula")
    assert read_formula("i*u", Scope(("x", "i"), ("u",)), "formula").names == ("i", "u")
