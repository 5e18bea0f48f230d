"""Tables and figures of made-up records: every number is where it belongs, and every figure is drawn."""

import pytest

from qres.paper import EXPERIMENTS, Record, Records
from qres.paper._page import sections
from qres.plots import render
from qres.results import Result

HISTORY = {
    "total": [1, 50, 100, 101, 150], "stage": [0, 0, 0, 1, 1], "optimizer": ["adam"] * 3 + ["lbfgsb"] * 2,
    "loss": [1.0, 0.5, 0.1, 0.1, 0.01],
}  # fmt: skip


def made_up(variant, seed, factor):
    """A run of a variant; its numbers are multiples of a factor."""
    stored = {
        "parameters": 1000, "iterations": 150, "seconds": 60.0, "loss": 0.01 * factor,
        "errors": {"u": 1e-3 * factor, "v": 2e-3 * factor, "h": 3e-3 * factor},
        "unknowns": {"lambda_1": {"percent": 0.1 * factor}, "lambda_2": {"percent": 0.2 * factor}},
    }  # fmt: skip
    name = f"{variant.name}-{seed}"
    return Record(
        name,
        variant.name,
        "paper",
        seed,
        "2026-11-16T00:00:00Z",
        {"jax": "1"},
        {},
        Result.from_dict(stored),
        {},
        HISTORY,
    )


def records_of(experiment, left_out=()):
    return Records(
        made_up(variant, seed, factor)
        for variant in experiment.variants
        for seed, factor in enumerate((1.0, 2.0, 4.0))
        if (variant.name, seed) not in left_out
    )


@pytest.mark.parametrize(
    ("name", "labels", "median", "ratio"),
    [
        ("table-architectures", ("QRes-lite", "1,000", "Adam, 7k", "error u"), 2e-3, 2e-3 / 1.291e-1),
        ("table-inference", ("Schrödinger", "PINN", "1,000", "error |h|"), 6e-3, 6e-3 / 1.099e-3),
        ("table-identification", ("KdV", "QRes", "1,000", "1 % noise", "error λ₂"), 0.4, 0.4 / 0.009),
        ("figure-efficiency", ("QRes", "all 28", "mean error u"), 2e-3, 2e-3 / 1.07e-2),
        ("figure-kdv-loss", ("PINN", "epochs of L-BFGS-B"), 50, None),
        ("figure-burgers-loss", ("ISC", "L-BFGS-B", "loss"), 0.02, None),
    ],
)
def test_a_number_is_where_it_belongs(name, labels, median, ratio):
    experiment = EXPERIMENTS[name]
    lines = {line.labels: line for line in experiment.table(records_of(experiment)).lines}
    assert lines[labels].median == pytest.approx(median)
    assert lines[labels].ratio == (None if ratio is None else pytest.approx(ratio))
    assert len(lines[labels].values) == 3


@pytest.mark.parametrize("name", ["figure-efficiency", "figure-kdv-loss", "figure-burgers-loss"])
def test_a_figure_is_drawn(name):
    experiment = EXPERIMENTS[name]
    assert experiment.figure is not None
    drawn = experiment.figure(records_of(experiment))
    assert drawn is not None
    assert render(drawn, "png").startswith(b"\x89PNG")


def test_a_mean_needs_all_architectures_of_a_seed():
    experiment = EXPERIMENTS["figure-efficiency"]
    records = records_of(
        experiment, [("burgers-qres-7x2", 2), ("burgers-pinn-40x8", 0), ("burgers-pinn-40x8", 1)]
    )
    lines = {line.labels: line for line in experiment.table(records).lines}
    assert lines["QRes", "all 28", "best error u"].values == pytest.approx((1e-3, 2e-3))
    assert lines["PINN", "all 28", "mean error u"].values == pytest.approx((4e-3,))
    assert lines["PINN", "depth 2, 7 widths", "mean error u"].values == pytest.approx((1e-3, 2e-3, 4e-3))


def test_what_is_far_from_the_paper_is_marked_and_asks_for_a_remark():
    experiment = EXPERIMENTS["table-architectures"]
    records = records_of(experiment, [("burgers-isc-20x8", seed) for seed in range(3)])
    text = sections([experiment], records, lambda name: None, {})
    assert "18 runs, 18 min in all, 2026-11-16, jax 1. **Not run:** burgers-isc-20x8." in text
    assert "| ISC |  | L-BFGS-B | error u | not run |  | 0 | 1.50e-02 |  |" in text
    assert "**Not explained yet:**" in text and "APINN, 1,000, Adam, 7k, error u" in text
    assert "| **0.014** |" in text
    assert "Not explained" not in sections(
        [experiment], records, lambda name: None, {experiment.name: "Since …"}
    )


def test_a_few_runs_that_others_share_are_no_figure():
    experiment = EXPERIMENTS["figure-efficiency"]
    missing = [
        (variant.name, seed)
        for variant in experiment.variants
        for seed in range(3)
        if variant.name not in ("burgers-pinn-20x8", "burgers-qres-10x8")
    ]
    text = sections([experiment], records_of(experiment, missing), lambda name: "a.png", {})
    assert "**Not run.** `qres reproduce figure-efficiency` would. There are 6 runs" in text
    assert "a.png" not in text and "| PINN |" not in text
