"""Hard conditions let go of what leaves its initial state fast, and hold what does not as ever."""

import numpy as np
import pytest

from qres.problems import Problem


def oscillator(omega: float) -> Problem:
    return Problem(
        "u_tt + w^2*u = 0", {"t": [0, 1]}, ["u(0) = 3", "u_t(0) = 2"], constants={"w": omega}, hard=True
    )


def test_the_time_of_an_oscillation():
    """`cos(ωt)` moves by its own size, at its first pace, in √2/ω."""
    problem = oscillator(30.0)
    assert "tanh(t/0.047)^2" in problem.transform["u"].text
    assert not problem.soft_conditions


@pytest.mark.parametrize("omega", [0.0, 1.0, 4.0])
def test_what_is_slow_is_held_as_ever(omega):
    assert "tanh" not in oscillator(omega).transform["u"].text


def test_where_only_values_are_given_nothing_is_let_go():
    problem = Problem("u_t = -1000*u", {"t": [0, 1]}, "u(0) = 1", hard=True)
    assert problem.transform["u"].text == "1 + t*u"


def test_a_field_at_rest_goes_with_the_others():
    """Two masses and a spring between them: one is pulled out, both swing."""
    problem = Problem(
        ["u_tt = 1800*(v - u)", "v_tt = 900*(u - v)"], {"t": [0, 2]},
        ["u(0) = 4", "u_t(0) = 0", "v(0) = 0", "v_t(0) = 0"], hard=True,
    )  # fmt: skip
    assert all("tanh(t/0.033)^2" in problem.transform[name].text for name in "uv")


def test_units_do_not_matter():
    """The same wave in metres and micrometres, seconds and milliseconds."""
    texts = []
    for length, time, size in ((1.0, 1.0, 1.0), (1e6, 1e3, 1e-9)):
        problem = Problem(
            "u_tt = c^2*u_xx", {"t": [0, time], "x": [0, length]},
            [f"u(0, x) = {size!r}*sin(5*pi*x/L)", "u_t(0, x) = 0", "u(t, 0) = 0", "u(t, L) = 0"],
            constants={"L": length, "c": 2 * length / time}, hard=True,
        )  # fmt: skip
        found = problem.transform["u"].text.split("tanh(t/")[1].split(")")[0]
        texts.append(float(found) / time)
    assert texts[0] == pytest.approx(np.sqrt(2) / (10 * np.pi), rel=0.05)
    assert texts[0] == pytest.approx(texts[1], rel=1e-9)


def test_nothing_to_measure_by_is_no_reason():
    """A string that begins at zero and is pulled hard: there is no size to leave from."""
    problem = Problem(
        "u_tt = u_xx + 1e6", {"t": [0, 1], "x": [0, 1]},
        ["u(0, x) = 0", "u_t(0, x) = 0", "u(t, 0) = 0", "u(t, 1) = 0"], hard=True,
    )  # fmt: skip
    assert "tanh" not in problem.transform["u"].text
