"""The experiments: every run of the paper is there, with the paper's network, points and epochs."""

import pytest

from qres.networks import count_parameters
from qres.paper import EXPERIMENTS, PAPER, SHORT, Records, chosen
from qres.runtime.errors import InputError
from qres.training._assembly import build_model

VARIANTS = {variant.name: variant for e in EXPERIMENTS.values() for variant in e.variants}
# Of N-S and KdV, the counts of the networks that the paper's text describes.
COUNTS = {
    "navier-stokes-inverse-pinn": 3062, "navier-stokes-inverse-qres": 2998, "burgers-inverse-pinn": 3021,
    "burgers-inverse-qres-noisy": 1541, "kdv-inverse-pinn": 10300, "kdv-inverse-qres": 4570, "schrodinger-pinn": 30802,
    "schrodinger-qres": 15602, "allen-cahn-pinn": 141301, "allen-cahn-qres": 25501, "burgers-pinn-20x8": 3021,
    "burgers-isc-20x8": 3021, "burgers-qsc-10x8": 1541, "burgers-qres-10x8": 1541, "burgers-qres-14x8-adam": 2941,
    "burgers-qres-10x8-adam": 1541, "error-map-pinn": 1382, "error-map-qres": 1374, "waves-dnn": 33537,
    "waves-qres": 33211,
}  # fmt: skip


def test_the_names():
    assert list(EXPERIMENTS) == [
        "table-identification", "table-inference", "table-architectures", "figure-sine", "figure-efficiency",
        "figure-kdv-loss", "figure-burgers-loss", "figure-error-map", "figure-waves",
    ]  # fmt: skip
    assert chosen(["figure-sine", "figure-sine"]) == [EXPERIMENTS["figure-sine"]]
    assert len(chosen(["all"])) == 9
    with pytest.raises(InputError, match="did you mean 'figure-sine'"):
        chosen(["figure-sin"])
    with pytest.raises(InputError, match="table-inference"):
        chosen([])


def test_the_papers_numbers_are_names():
    assert [experiment.name for experiment in chosen(["table-3", "figure-8", "table-inference"])] == [
        "table-inference", "figure-waves",
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_networks_are_the_papers(name, count):
    model = build_model(VARIANTS[name].job(0, PAPER).specification(), None)
    assert count_parameters(model.network) == count


@pytest.mark.parametrize(
    ("name", "stages"),
    [("navier-stokes-inverse-qres", "adam:200000,lbfgsb"), ("burgers-inverse-pinn-noisy", "adam:10000,lbfgsb"),
     ("kdv-inverse-pinn", "adam:50000,lbfgsb"), ("kdv-inverse-qres", "adam:10000,lbfgsb"),
     ("schrodinger-pinn", "adam:50000,lbfgsb"), ("allen-cahn-pinn", "adam:10000,lbfgsb"),
     ("burgers-isc-20x8", "lbfgsb:7000"), ("burgers-apinn-20x8-adam", "adam:7000"),
     ("sine-data", "adam:5000@0.01,adam:5000"), ("error-map-pinn", "adam:50000"), ("waves-dnn", "adam:20000")],
)  # fmt: skip
def test_epochs_are_the_papers(name, stages):
    assert VARIANTS[name].job(0, PAPER).specification().stages == stages


def test_runs_that_are_the_same_are_run_once():
    """A specification has one name, and a name one specification."""
    assert len(VARIANTS) == 12 + 4 + 7 + 2 + (56 - 2) + 2 + 2
    for experiment in EXPERIMENTS.values():
        assert all(VARIANTS[variant.name] is variant for variant in experiment.variants)
    keys = [variant.job(3, PAPER).key for variant in VARIANTS.values() if "navier" not in variant.problem]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(("end", "noise"), [("", 0.0), ("-noisy", 0.01)])
def test_noise_is_drawn_by_the_seed(end, noise):
    (data,) = VARIANTS[f"burgers-inverse-qres{end}"].job(1, PAPER).specification().problem.data
    assert data.origin is not None and data.origin.noise == noise


@pytest.mark.parametrize(
    "name", ["schrodinger-qres", "burgers-inverse-pinn", "error-map-qres", "waves-qres", "kdv-inverse-qres"]
)
def test_short_runs_have_the_same_network_and_little_else(name):
    variant = VARIANTS[name]
    job = variant.job(0, SHORT)
    short, long = job.specification(), variant.job(0, PAPER).specification()
    assert job.name.startswith("short-")
    assert short.architecture == long.architecture
    assert short.sampling.points <= long.sampling.points
    assert variant.expected_seconds(SHORT) < 40 < variant.expected_seconds(PAPER)
    if long.snapshots:
        assert short.snapshots[-1] == int(short.stages.split(":")[1])


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_nothing_run_is_said(experiment):
    records = Records([])
    assert all(line.median is None for line in experiment.table(records).lines)
    assert experiment.figure is None or experiment.figure(records) is None
    assert experiment.not_run(records) == list(experiment.variants)
