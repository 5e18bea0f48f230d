"""The banner of a solution that does not hold; the correlation, measurements and residuals on the page."""

from dataclasses import replace

import numpy as np
import pytest

import qres
from qres import plots
from qres.report._profiles import residual_profiles
from qres.results import Estimate, UnknownEstimate, Verdict

ADVICE = "train longer, or set hard = <true>"
WRONG = Estimate(
    {"u": 0.7},
    verdict="does not hold: relative error about u 7.0e-01",
    warnings=(ADVICE,),
    status=Verdict.DOES_NOT_HOLD,
)
UNTOLD = replace(
    WRONG, verdict="cannot tell: 90 % of the residuals are not explained", status=Verdict.CANNOT_TELL
)
HOLDS = replace(WRONG, errors={"u": 1e-5}, verdict="holds", status=Verdict.HOLDS)
ALARM = '<aside class="alarm" role="alert">'


@pytest.mark.parametrize(
    ("result", "alarm", "said"),
    [
        ({"errors": {}, "estimate": WRONG}, True, "Relative error about u 7.0e-01."),
        ({"errors": {"u": 0.5}, "estimate": HOLDS}, True, "error is 0.5 in"),
        ({"errors": {"u": float("nan")}, "estimate": None}, True, "error is not finite in"),
        ({"loss": float("nan")}, True, "no finite solution"),
        ({"errors": {}, "estimate": UNTOLD}, False, "It cannot be told whether this solution holds"),
        ({"errors": {"u": 1e-4}, "estimate": WRONG}, False, ""),
        ({"errors": {}, "estimate": HOLDS}, False, ""),
    ],
)
def test_a_solution_that_does_not_hold_has_a_red_banner(tmp_path, write, result, alarm, said):
    warnings = [ADVICE, "another"]
    page = write(tmp_path / "r.html", result=result, warnings=warnings, history=[]).read_text()
    assert (ALARM in page) is alarm
    assert said in page
    assert page.count("set hard = &lt;true&gt;") == 1, "advice is there once, in the banner or below"
    assert "<li>another</li>" in page


def test_the_correlation_is_a_table_and_of_many_unknowns_the_strongest_pairs(tmp_path, write):
    def page(names):
        matrix = {
            a: {b: 1.0 if a == b else -0.9 if {a, b} == {"b", "a"} else 0.1 for b in names} for a in names
        }
        unknowns = {name: UnknownEstimate(1.0, 0.1) for name in names}
        result = {"unknowns": unknowns, "correlation": matrix}
        return write(tmp_path / "r.html", result=result, history=[], prediction=None).read_text()

    few = page(["b", "a"])
    assert '<td style="--strength:0.90">−0.9</td>' in few
    assert few.index('<th scope="col"><i>b</i>') < few.index('<th scope="col"><i>a</i>'), (
        "in the order stated"
    )
    many = page([*"ba", *(f"c_{i}" for i in range(12))])
    assert "Strongest correlations" in many
    assert "matrix" not in many.split("<body>")[1]
    assert "<i>b</i> and <i>a</i>: −0.9" in many
    assert "Correlation" not in page(["a"]).split("<body>")[1]


def test_measurements_are_drawn_on_curves_and_maps():
    x = np.linspace(0, 1, 11)
    solution = qres.solve(
        qres.Problem("u_x = -u", {"x": (0, 1)}, "u(0) = 1"), "mlp", iterations=1, progress=False
    )
    ((panel,),) = plots.field_rows(solution.to_xarray(), measured=[{"x": x, "u": x}, {"x": x, "v": x}])
    (rings,) = plots.compose([[panel]]).axes[0].collections
    np.testing.assert_allclose(np.asarray(rings.get_offsets()), np.stack([x, x], axis=1))


def test_residuals_over_each_coordinate_follow_the_residual():
    problem = qres.Problem(
        ["u_x - 3*x^2 = 0", "v_y - u = 0"],
        {"x": (0, 2), "y": (0, 1)},
        transform={"u": "0*u + 1", "v": "0*v + y"},
    )
    solution = qres.solve(problem, qres.Architecture(width=2, depth=1), iterations=1, progress=False)
    over_x, over_y = residual_profiles(solution)
    size = np.sqrt(np.mean((3 * np.linspace(0, 2, 10001) ** 2) ** 2))
    np.testing.assert_allclose(
        over_x.sizes["equation_1"], 3 * over_x.middles**2 / size, rtol=0.15, atol=0.002
    )  # u_x = 0: what is left is 3 x^2, relative to its own size
    np.testing.assert_allclose(over_x.sizes["equation_2"], 0, atol=1e-12)
    assert over_y.sizes["equation_1"].std() < 0.2 * over_y.sizes["equation_1"].mean()
