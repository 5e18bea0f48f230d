"""Figures of the training, the unknowns and the data."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qres import plots
from qres.results import Record


def history(count: int, **extra: Any) -> list[Record]:
    return [
        Record(
            total=i, stage=int(i > count / 2), optimizer=("adam", "ssbroyden")[i > count / 2],
            loss=10.0**-i, terms={"equation": 10.0**-i, "initial": 10.0 ** (-i - 1)}, **extra,
        )
        for i in range(count)
    ]  # fmt: skip


def lines(axes: Axes) -> dict[str, np.ndarray]:
    return {str(line.get_label()): np.asarray(line.get_xdata()) for line in axes.lines}


def iterations(figure: Figure, panel: int = 0) -> np.ndarray:
    return np.asarray(figure.axes[panel].lines[0].get_xdata())


def test_loss_terms_and_errors():
    figure = plots.loss_figure(history(10, errors={"u": 1e-3}))
    assert len(figure.axes) == 2
    assert {"loss", "equation", "initial"} <= set(lines(figure.axes[0]))
    assert figure.axes[0].get_yscale() == figure.axes[1].get_yscale() == "log"
    assert len(plots.loss_figure(history(10)).axes) == 1


@pytest.mark.parametrize("records", [[], history(1), [Record(loss=math.nan)], [Record(loss=math.inf)]])
def test_short_and_broken_histories(records: list[Record]):
    plots.loss_figure(records).draw_without_rendering()


def test_many_numbered_terms_become_one_curve():
    terms = {f"boundary_{i}": float(i) for i in range(1, 9)} | {"equation": 0.5}
    axes = plots.loss_figure([Record(total=i, loss=1.0, terms=terms) for i in range(3)]).axes[0]
    assert {"boundary, largest of 8", "equation", "loss"} == {line.get_label() for line in axes.lines}
    assert np.all(np.asarray(axes.lines[0].get_ydata()) == 8)


def test_stages_are_marked():
    axes = plots.loss_figure(history(10)).axes[0]
    assert [text.get_text() for text in axes.texts] == ["adam", "ssbroyden"]


def test_iterations_are_counted_over_all_stages():
    records = [Record(total=i, iteration=i % 50, stage=i // 50, loss=1.0) for i in range(100)]
    assert np.all(np.diff(iterations(plots.loss_figure(records))) > 0)
    totals = [Record(total=7 * i, loss=1.0) for i in range(5)]
    assert iterations(plots.loss_figure(totals))[-1] == 28


def test_errors_in_some_records_only_make_one_curve():
    records = [
        replace(record, errors={"u": 1e-3} if i % 5 == 0 else {}) for i, record in enumerate(history(30))
    ]
    assert len(iterations(plots.loss_figure(records), panel=1)) == 6


def test_long_histories_are_thinned_and_end_where_they_end():
    records = [Record(total=i, loss=1.0 + i) for i in range(100_000)]
    shown = iterations(plots.loss_figure(records))
    assert len(shown) <= 2000
    assert shown[-1] == 99_999


def test_unknowns_with_interval_and_truth():
    records = history(20, unknowns={"lambda_1": 0.9, "k": [1.0, 2.0]})
    figure = plots.unknowns_figure(
        records, {"lambda_1": 1.0, "k": None}, {"lambda_1": 0.01, "k": [0.1, None]}
    )
    assert [axes.get_ylabel() for axes in figure.axes] == ["$λ_{1}$", "k[0]", "k[1]"]
    assert "true value" in lines(figure.axes[0])
    assert "true value" not in lines(figure.axes[1])
    figure.draw_without_rendering()


def test_data_against_fit():
    measured = {"u": np.array([1.0, 2.0, np.nan, 4.0]), "v": np.ones(4)}
    figure = plots.data_figure(measured, {"u": np.array([1.1, 2.0, 3.0, 3.9]), "v": np.ones(4)})
    assert len(figure.axes) == 4
    figure.draw_without_rendering()
    with pytest.raises(ValueError, match="'v' needs as many values"):
        plots.data_figure(measured, {"u": np.ones(4), "v": np.ones(3)})


def test_a_true_value_that_was_missed_is_in_the_picture():
    history = [Record(total=10 * i, unknowns={"k": value}) for i, value in enumerate([0.3, 1.4, 1.5])]
    figure = plots.unknowns_figure(history, true={"k": 2.0}, stderr={"k": 0.01})
    low, high = figure.axes[0].get_ylim()
    assert low < 0.3 < 2.0 < high
