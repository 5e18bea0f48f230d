"""The benchmark compares like with like, keeps what it has measured, and reads tables only from that."""

import json

import numpy as np
import pytest
from bench.case import Case, flat
from bench.page import BEGIN, END, write_page
from bench.parts import broyden, error, growth
from bench.parts import loss as loss_part
from bench.store import Store
from bench.tables import Table
from bench.variants import build
from bench.workers import statistics


@pytest.mark.parametrize(
    "case",
    [
        Case("burgers", "qres", 4, 2, 30),
        Case("burgers", "mlp", 4, 2, 30),
        Case("kdv", "qres", 4, 2, 30),
        Case("navier-stokes-stream", "qres", 4, 2, 30),
        Case("heat-2", "qres", 4, 2, 30),
        Case("order-4", "qres", 4, 2, 30),
    ],
    ids=lambda case: f"{case.equation}-{case.kind}",
)
def test_every_variant_has_the_same_loss_and_gradient(case):
    found = build("qres_engine", case) | build("qres_engine", case, foreign=1) | build("jax_nested", case)
    checks = {name: timed.check() for name, timed in found.items() if timed.check is not None}
    assert len(checks) == 4
    value, grad = checks["qres"]
    assert grad.shape == flat(case.parameters()).shape
    for other, gradient in checks.values():
        assert other == pytest.approx(value, rel=1e-11)
        np.testing.assert_allclose(gradient, grad, rtol=1e-8, atol=1e-11 * np.abs(grad).max())


def test_parameters_are_counted_as_in_the_paper():
    assert flat(Case(kind="qres", width=10).parameters()).size == 1541
    assert flat(Case(kind="mlp", width=20).parameters()).size == 3021
    assert flat(Case(kind="qres", width=19, depth=7).parameters()).size == 4580


def test_what_is_recorded_is_not_measured_again(tmp_path):
    path = tmp_path / "bench.json"
    store = Store(path, quick=True)
    assert store.measure("one", lambda: 1) == 1
    again = Store(path, quick=True)
    assert again.measure("one", lambda: 2) == 1
    assert again.get("two") is None
    again.again = True
    assert again.measure("one", lambda: 2) == 2
    assert json.loads(path.read_text())["pieces"]["one"]["result"] == 2
    with pytest.raises(SystemExit):
        Store(path, quick=False)


def test_time_to_an_error():
    run = {"history": [[1.0, 1, 0.5, 0.8], [2.0, 9, 2e-3, 0.9], [3.0, 20, 9e-4, 1.0]]}
    assert error.first_below(run, 1e-2) == 2.0
    assert error.first_below(run, 1e-4) is None
    assert error.without_compiling(run, 1e-3) == 2.0


def test_the_page_keeps_the_text_around_its_generated_part(tmp_path):
    store = Store(tmp_path / "bench.json", quick=True)
    names = ("qres", "DeepXDE, PyTorch", "JAX, jvp of jvp", "JAX, vmap of grad of grad")
    one = {name: statistics([float(i + 1), i + 2.0]) for i, name in enumerate(names)}
    for cores in (1, 2):
        for dtype in ("float64", "float32"):
            key = f"loss + gradient, {dtype}, {cores} core{'s' if cores > 1 else ''}"
            store.measure(key, lambda: dict.fromkeys(loss_part.NETWORKS, one))
    store.measure("cost by points, float64, 2 cores", lambda: {"500": one, "2000": one})
    page = tmp_path / "performance.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    for _ in range(2):
        write_page(store, tmp_path, [loss_part, growth, error])
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
    assert "| qres | 1/1 |" in text and "images/bench-growth.svg" in text
    assert (tmp_path / "images" / "bench-growth.svg").exists()


def test_a_table_as_text_and_as_markdown():
    table = Table("Times", ("what", "ms"), [("a", "1"), ("long", "22")])
    assert "what  ms" in table.text() and "long  22" in table.text()
    assert "| long | 22 |" in table.markdown()


def test_an_iteration_that_costs_less_than_its_evaluations_is_called_noise():
    assert broyden._ratio(0.43, 1.0) == "not valid: noise"
    assert broyden._ratio(1.02, 1.1) == "not valid: noise"
    assert broyden._ratio(1.19, 1.04) == "1.19"
