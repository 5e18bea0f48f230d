"""Specifications as tables: written whole, in a format with a number, and read in any that came before."""

import tomllib

import pytest
import tomli_w

import qres
from qres.problems import read_toml
from qres.runs import Specification, read_specification
from qres.runs._migrations import FORMAT, MIGRATIONS, migrated
from qres.runs._settings import OPTIMIZER_KEYS, TRAINING_KEYS
from qres.runtime.errors import InputError

PROBLEM = {"equations": ["u_x = -u"], "domain": {"x": [0, 1]}, "conditions": ["u(0) = 1"]}
OLD = {
    "problem": PROBLEM,
    "optimizer": {"stages": "adam:10", "seed": 3, "balance": False},
    "preset": {"other": {"optimizer": {"starts": 2}}},
}
FILE = """
[problem]
equations = ["u_x = -u"]
domain = { x = [0, 1] }
conditions = ["u(0) = 1"]
"""


def test_everything_is_written_and_read_back():
    for specification in (
        Specification(qres.Problem(**PROBLEM)),
        Specification(
            qres.Problem(**PROBLEM), qres.Architecture(hidden=(3, 4)), iterations=7, time_limit=2.5, pace=3.0,
            snapshots=(400, 500), starts=2, holdout=0.5, weights={"equation": 2.0},
        ),
    ):  # fmt: skip
        tables = tomllib.loads(tomli_w.dumps(specification.to_dict()))
        assert tables["format"] == FORMAT
        assert set(tables["network"]) == set(qres.Architecture.__dataclass_fields__)
        assert set(tables["sampling"]) == set(qres.Sampling.__dataclass_fields__)
        assert set(tables["optimizer"]) == set(OPTIMIZER_KEYS)
        assert set(tables["training"]) == set(TRAINING_KEYS)
        again = Specification.from_dict(tables)
        assert again.to_dict() == specification.to_dict()
        assert again.architecture == specification.architecture
        assert (again.iterations, again.time_limit, again.pace) == (
            specification.iterations, specification.time_limit, specification.pace,
        )  # fmt: skip


def test_every_setting_is_in_a_table():
    """A field of Specification that no table holds would not survive its run folder."""
    own = {"problem", "architecture", "sampling", "weights", "time", "windows"}  # windows are in [time]
    assert set(Specification.__dataclass_fields__) == own | set(OPTIMIZER_KEYS) | set(TRAINING_KEYS)


def test_keys_that_were_the_optimizers_are_moved():
    tables, old = migrated(OLD)
    assert tables["optimizer"] == {"stages": "adam:10"}
    assert tables["training"] == {"seed": 3, "balance": False}
    assert tables["preset"]["other"] == {"optimizer": {}, "training": {"starts": 2}}
    assert old == ("optimizer.seed", "optimizer.balance", "preset.other.optimizer.starts")
    assert migrated({**tables, "format": 1}) == migrated(tables) == (tables, ())
    assert len(MIGRATIONS) == FORMAT - 1
    assert Specification.from_dict({k: v for k, v in OLD.items() if k != "preset"}).seed == 3


def test_a_users_file_with_old_keys_is_read_with_one_line(tmp_path, capsys):
    path = tmp_path / "old.toml"
    path.write_text(FILE + "[optimizer]\nseed = 5\nholdout = 0.25\n")
    assert read_specification(path).seed == 5
    (line,) = capsys.readouterr().err.splitlines()
    assert (
        "old.toml: deprecated: optimizer.seed, optimizer.holdout; write training.seed, training.holdout"
        in line
    )
    assert read_specification(path, settings={"training.seed": 6}).seed == 6
    assert capsys.readouterr().err == "", "once for a file"


def test_a_file_of_today_says_nothing(tmp_path, capsys):
    path = tmp_path / "new.toml"
    path.write_text(f"format = {FORMAT}\n{FILE}[training]\nseed = 5\n[optimizer]\niterations = 'none'\n")
    found = read_specification(path)
    assert (found.seed, found.iterations) == (5, None)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "format = 99\n" + FILE,
            "has format 99, and this version of qres reads up to 2: a newer one wrote it",
        ),
        ("format = 'two'\n" + FILE, "format must be a whole number such as 2, not 'two'"),
        ("format = true\n" + FILE, "format must be a whole number"),
        ("format = 0\n" + FILE, "format must be a whole number"),
        (FILE + "[optimizer]\nseed = 1\n[training]\nseed = 2\n", "seed is stated twice"),
        ("format = 2\n" + FILE + "[optimizer]\nseed = 1\n", "unknown key 'seed'"),
        (FILE + "[training]\niterations = 1\n", "unknown key 'iterations'"),
        (FILE + "[training]\nseed = 'none'\n", "seed must be"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(tmp_path, text, message):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_specification(path)


def test_saved_tables_of_the_first_format_keep_the_defaults_of_their_time(monkeypatch):
    stated = {"problem": PROBLEM, "network": {"width": 6}, "optimizer": {"stages": "adam:10"}}
    new = [one + 1 if type(one) is int else one for one in qres.Architecture.__init__.__defaults__ or ()]
    monkeypatch.setattr(qres.Architecture.__init__, "__defaults__", tuple(new))
    saved, asked = migrated(stated, saved=True)[0], migrated(stated)[0]
    assert Specification.from_dict(saved).architecture.depth == 4
    assert Specification.from_dict(asked).architecture.depth == 5


def test_the_format_stands_at_the_top_of_a_file(tmp_path):
    path = tmp_path / "new.toml"
    path.write_text(tomli_w.dumps(Specification(qres.Problem(**PROBLEM)).to_dict()))
    assert path.read_text().startswith(f"format = {FORMAT}\n")
    assert read_toml(path)["format"] == FORMAT


def test_held_out_measurements_need_points_that_are_resampled():
    with pytest.raises(InputError, match="holdout needs resample_every above 0"):
        Specification(
            qres.Problem(**PROBLEM), holdout=0.2, sampling=qres.Sampling(points=10, resample_every=0)
        )
