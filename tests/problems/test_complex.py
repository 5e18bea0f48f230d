"""Problems with complex fields: read as real ones, shown as written, solved and evaluated as complex ones."""

from typing import Any

import numpy as np
import pytest

import qres
from qres.posed import Residuals, arbitrary
from qres.problems import library, read_toml

DOMAIN = {"t": (0, 1), "x": (0, np.pi)}
FREE = "i*h_t + h_xx = 0"  # solved by exp(-i t) sin(x)
CONDITIONS = ["h(0, x) = sin(x)", "h(t, 0) = 0", "h(t, pi) = 0"]
EXACT = {"h": "exp(-i*t)*sin(x)"}


def free_particle(**others):
    given = {"equations": FREE, "domain": DOMAIN, "conditions": CONDITIONS, "exact": EXACT, "complex": ["h"]}
    return qres.Problem(**(given | others))


def test_fields_equations_and_conditions_are_real():
    problem = free_particle(hard=True, up_to_constant=[])
    assert problem.fields == ("h_re", "h_im")
    assert [one.text for one in problem.equations] == ["-h_im_t + h_re_xx = 0", "h_re_t + h_im_xx = 0"]
    assert problem.conditions[0].gives_value_of == "h_re"
    assert not problem.soft_conditions
    assert not problem.warnings  # the exact solution is one
    assert "h_re" not in problem.mathml()
    assert problem.mathml().count("<mi>i</mi>") == 1  # one equation, though it is two
    again = qres.Problem.from_dict(problem.to_dict())
    assert [one.text for one in again.equations] == [one.text for one in problem.equations]
    assert problem.to_dict()["equations"] == [FREE]


def test_python_functions_use_complex_arithmetic():
    def equation(h):
        return 1j * h.t + h.xx + 0 * (np.conj(h) * h.real + np.angle(h) * h.imag + abs(h) * np.complex128(1j))

    def start(h, x):
        return h - np.sin(x) * 1j

    problem = free_particle(
        equations=equation, conditions=[qres.Condition.at({"t": 0.0}, start)], fields=["h"]
    )
    assert problem.is_text
    assert problem.to_dict()["conditions"] == ["h(0, x) = sin(x)*i"]
    assert [one.text for one in problem.conditions] == ["h_re(0, x) = 0", "h_im(0, x) = sin(x)"]


def test_conditions_on_a_boundary_and_complex_definitions():
    problem = qres.Problem(
        "h_xx + h_yy = i*h", {"x": (-1, 1), "y": (-1, 1)}, ["h_n = i*h on boundary"], inside="x^2 + y^2 < 1",
        complex=["h", "q"], definitions={"q": "h_x", "flux": "imag(conj(h)*q)"},
    )  # fmt: skip
    assert [one.text for one in problem.conditions] == [
        "h_re_n(x, y) = -h_im(x, y) on boundary",
        "h_im_n(x, y) = h_re(x, y) on boundary",
    ]
    assert set(problem.definitions) == {"q_re", "q_im", "flux", "h_abs", "q_abs"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"complex": ["g"]}, "'g' is not a field or definition; those are h"),
        ({"complex": 5}, "complex must be a list"),
        ({"constants": {"i": 2}}, "'i' is used twice"),
        ({"constants": {"h_re": 2}}, "'h_re' is used twice"),
        ({"definitions": {"q": "h^2"}}, "its value is complex; list 'q' in complex"),
        ({"equations": lambda h: h.t if h.x > 0 else h}, "cannot be written as a formula"),
        ({"exact": {"g": "1"}}, "'g' is not a field"),
    ],
)
def test_wrong_input(wrong, message):
    with pytest.raises(qres.InputError, match=message) as found:
        free_particle(**({"fields": ["h"]} | wrong))
    assert "\n" not in str(found.value)


def test_a_solution_has_complex_values(tmp_path):
    problem = free_particle(hard=True)
    solution = qres.solve(problem, network=qres.Architecture(width=8, depth=1), iterations=150)
    assert set(solution.errors) == {"h", "h_re", "h_im", "h_abs"}
    assert solution.errors["h"] < 1e-3
    again = qres.load(solution.save(tmp_path / "free.qres"))
    x = np.linspace(0, np.pi, 5)
    for found in (again(t=0.5, x=x), again("h", t=0.5, x=x)):
        np.testing.assert_allclose(found, np.exp(-0.5j) * np.sin(x), atol=2e-3)
    np.testing.assert_allclose(again("h_x", t=0.5, x=x), np.exp(-0.5j) * np.cos(x), atol=1e-2)
    np.testing.assert_allclose(again("h_abs", t=0.5, x=x), np.abs(again("h", t=0.5, x=x)), rtol=1e-14)
    np.testing.assert_allclose(again("abs(h)^2", t=0.5, x=x), np.abs(again("h", t=0.5, x=x)) ** 2, rtol=1e-14)
    assert again("2i*h", t=0.5, x=1.0) == 2j * again("h", t=0.5, x=1.0)
    with pytest.raises(qres.InputError, match="'h' is complex; take abs, real or imag"):
        again.integral("h")
    assert list(again.to_xarray((3, 4), "h").data_vars) == ["h_re", "h_im"]


def test_the_papers_schroedinger_problem_is_that_of_two_real_fields():
    """The library states it with u and v; as written in the paper, with h, the residuals are the same to the bit."""
    tables = read_toml(library.path("schrodinger"))["problem"]
    stated: dict[str, Any] = {key: tables[key] for key in ("equations", "conditions", "periodic", "domain")}
    real = qres.Problem(**stated)
    as_written: dict[str, Any] = {
        "equations": "i*h_t + 0.5*h_xx + abs(h)^2*h = 0",
        "conditions": "h(0, x) = 2*sech(x)",
    }
    written = qres.Problem(**(stated | as_written), complex=["h"])
    pair = arbitrary(("u", "v"), real.bounds, 0)

    def renamed(coordinates):
        return dict(zip(written.fields, pair(coordinates).values(), strict=True))

    points = [np.random.default_rng(0).uniform(0, 1, (2, 50))] * 2
    found = [
        Residuals.of(one, conditions=one.conditions).at(source, points, {})
        for one, source in ((real, pair), (written, renamed))
    ]
    signs = {
        "equation_1": ("equation_2", 1),
        "equation_2": ("equation_1", -1),
    }  # the imaginary part comes second
    for name, values in found[0].items():
        other, sign = signs.get(name, (name, 1))
        np.testing.assert_array_equal(values, sign * found[1][other])
