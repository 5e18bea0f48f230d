import json

import pytest
import typer
from typer.testing import CliRunner

from qres.cli.theory import theory
from qres.theory import CHECKS, Check

app = typer.Typer()
app.command()(theory)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False, env={"COLUMNS": "160"})
    assert result.exit_code == 0
    return result.stdout


def test_the_table_says_dimension_and_filling():
    text = run("3,1")
    assert "5 of 6" in text
    assert "qres 3,1" in text


def test_json_is_one_object():
    record = json.loads(run("3,1", "--json"))
    assert (record["degree"], record["dimension"], record["ambient"], record["filling"]) == (2, 5, 6, False)
    assert record["parameters"] == 7
    assert record["plain"]["dimension"] == 3


def test_json_against_another_network():
    record = json.loads(run("2,10,10,1", "--degree", "2", "--against", "2,20,20,1", "--json"))
    assert record["dimension"] == 33
    assert record["against"]["widths"] == [2, 20, 20, 1]
    assert record["against"]["kind"] == "plain"
    assert record["against"]["dimension"] == 5


def test_the_paper_s_last_layer():
    assert json.loads(run("2,4,4,1", "--last", "linear", "--json"))["degree"] == 16


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "widths=None: give widths"),
        (("2,x",), "widths='2,x': two or more whole numbers"),
        (("3",), "widths='3': two or more"),
        (("2,0,1",), "widths='2,0,1'"),
        (("2,1", "--against", "2,"), "against='2,'"),
        (("2,1", "--kind", "cubic"), "kind='cubic': one of qres, plain"),
        (("2,1", "--last", "cubic"), "last='cubic': one of quadratic, linear"),
        (("2,1", "--degree", "0"), "degree=0"),
        (("2,1", "--check"), "--check and --document take no widths"),
    ],
)
def test_wrong_input_is_one_line_that_names_the_value(arguments, message):
    with pytest.raises(ValueError, match=message) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)


@pytest.fixture
def small(monkeypatch):
    table = Check("Lemma 0", "one is two", "one is one", ("case",), (("1",), ("2",)), (True, False))
    for name in CHECKS:
        monkeypatch.setitem(CHECKS, name, lambda: table)


def test_check_prints_every_table(small):
    text = run("--check")
    assert text.count("holds in 1 of 2 cases. Corrected: one is one.") == len(CHECKS)


def test_check_as_json_lists_counterexamples(small):
    record = json.loads(run("--check", "--json"))
    assert list(record) == list(CHECKS)
    assert record["lemma-1"]["counterexamples"] == [["2"]]


def test_document_is_written(small, tmp_path):
    path = tmp_path / "theory.md"
    path.write_text(
        "".join(f"<!-- table: {name} -->\n<!-- end: {name} -->\n" for name in CHECKS), encoding="utf-8"
    )
    run("--document", str(path))
    assert path.read_text(encoding="utf-8").count("| 2 | no |") == len(CHECKS)
