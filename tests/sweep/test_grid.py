"""Grids: all combinations, by short and by dotted names."""

from pathlib import Path

import pytest

from qres.runtime.errors import InputError
from qres.sweep import grid, parse_over


def test_all_combinations_with_all_seeds(decay):
    jobs = grid(decay, {"network": ["qres", "mlp"], "width": [3, 4]}, seeds=2)
    assert [job.name for job in jobs] == [
        f"decay-{kind}-w{width}-seed{seed}" for kind in ("qres", "mlp") for width in (3, 4) for seed in (0, 1)
    ]
    assert jobs[-1].overrides == {"network": {"kind": "mlp", "width": 4}}
    assert jobs[-1].seed == 1
    assert len({job.key for job in jobs}) == 8


def test_names(decay):
    over = {
        "network.depth": [2], "problem.constants.k": [3], "spare": [-1.5], "data-points": [5], "weights.initial": [2],
        "sampling.method": ["sobol"], "optimizer": ["adam:5,lbfgsb"], "tolerance": [1e-3], "hidden": [[3, 4]],
    }  # fmt: skip
    (job,) = grid(decay, over, seeds=[4])
    assert job.overrides == {
        "network": {"depth": 2, "hidden": [3, 4]},
        "problem": {"constants": {"k": 3, "spare": -1.5}},  # an inner table is replaced as a whole
        "measured": {"points": 5},
        "weights": {"initial": 2},
        "sampling": {"method": "sobol"},
        "optimizer": {"stages": "adam:5,lbfgsb", "tolerance": 1e-3},
    }
    assert job.seed == 4
    assert job.name == (
        "decay-d2-k3-spareminus1.5-points5-initial2-sobol-adam-5-lbfgsb-tolerance0.001-hidden3x4-seed4"
    )


def test_what_is_the_same_for_all(decay):
    jobs = grid(decay, {"width": [3, 4]}, overrides={"optimizer": {"iterations": 5}}, preset="wide")
    assert [job.specification().architecture.width for job in jobs] == [3, 4]
    assert {job.specification().iterations for job in jobs} == {5}


def test_without_settings_only_seeds(decay):
    assert [job.name for job in grid(decay, {}, 2)] == ["decay-seed0", "decay-seed1"]


def test_values_as_text():
    found = parse_over(
        ["width=10, 20,40", "network=qres,mlp", "hard=true", "problem.constants.nu=0.01,1e-3", "hidden=[10,10],[5]",
         "optimizer=adam:100+lbfgsb,ssbroyden", 'sampling.method="a,b",c']
    )  # fmt: skip
    assert found == {
        "width": [10, 20, 40], "network": ["qres", "mlp"], "hard": [True], "problem.constants.nu": [0.01, 1e-3],
        "hidden": [[10, 10], [5]], "optimizer": ["adam:100,lbfgsb", "ssbroyden"], "sampling.method": ["a,b", "c"],
    }  # fmt: skip


WRONG = {
    "no values": (["width"], ["width", "name=value"]),
    "nothing after the sign": (["width="], ["width=", "name=value"]),
    "a missing value": (["width=3,,4"], ["width=3,,4", "missing"]),
    "twice": (["width=3", "width=4"], ["width", "twice"]),
    "twice by other names": (["width=3", "network.width=4"], ["width, network.width", "same setting"]),
    "a value twice": (["width=3,3"], ["width", "3", "twice"]),
    "an unknown name": (["widht=3"], ["widht", "did you mean 'width'?"]),
    "an unknown key": (["network.widht=3"], ["network.widht", "did you mean 'network.width'?"]),
    "an unknown section": (["netwrok.width=3"], ["netwrok.width", "did you mean 'network.width'?"]),
    "an unknown constant": (["problem.constants.spear=3"], ["spear", "did you mean 'problem.constants.spare'?"]),
    "too deep": (["network.width.x=3"], ["network.width.x", "section.key"]),
    "into what is no table": (["problem.equations.x=3"], ["problem.equations.x", "not a table"]),
    "seeds": (["seed=1,2"], ["seed", "--seeds"]),
    "a wrong value": (["width=0"], ["width", "not 0"]),
    "a wrong kind": (["network=qress"], ["qress", "did you mean 'qres'?"]),
    "a wrong optimizer": (["optimizer=adamm"], ["adamm", "did you mean 'adam'?"]),
    "noise without data": (["noise=0.1"], ["noise", "no measurements"]),
    "without effect": (["hidden=[3]", "width=3,4"], ["the same run"]),
    "too many": ([f"width={','.join(map(str, range(1, 202)))}", f"depth={','.join(map(str, range(1, 102)))}"],
                 ["20,301 runs", "at most 10,000"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_grids(decay, name):
    options, says = WRONG[name]
    with pytest.raises(InputError) as raised:
        grid(decay, parse_over(options))
    for text in says:
        assert text in str(raised.value)


def test_wrong_seeds(decay):
    with pytest.raises(InputError, match="seeds must be a whole number of 1 or more, not 0"):
        grid(decay, {}, seeds=0)
    with pytest.raises(InputError, match="width: there are no values"):
        grid(decay, {"width": []})


def test_a_width_counts_more_than_the_hidden_widths_of_the_file(decay):
    file = Path(decay)
    file.write_text(file.read_text().replace("width = 2", "hidden = [30, 30]"))
    (job,) = grid(decay, {"width": [3]})
    assert job.specification().architecture.hidden_widths == (3,)
