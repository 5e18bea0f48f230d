"""`qres reproduce`: what it lists, what it refuses, and the page that it writes from records."""

import pytest


def test_the_list(qres_process):
    result = qres_process("reproduce", "--list", "--scale", "short")
    assert result.status == 0, result.err
    assert "figure-efficiency" in result.out and "56" in result.out
    assert "short scale, 1 seed; what experiments share is run once" in result.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["table-9"], "experiment 'table-9' is not known"),
        ([], "name an experiment, or all: table-identification"),
        (["all", "--scale", "long"], "scale 'long' is not known; allowed: paper, short"),
        (["figure-sine", "--seeds", "0"], "seeds must be a whole number of 1 or more, not 0"),
        (["figure-sine", "--executor", "threads", "--scale", "short"], "executor 'threads' is not known"),
        (["figure-sine", "--only", "burgers"], "no run has that in its name"),
        (["--document", "results.md"], "it shows what --record DIR holds"),
        (["--document", "results.md", "--record", "none"], "none: there is no such folder"),
    ],
)
def test_mistakes_are_one_line(qres_command, tmp_path, arguments, said):
    result = qres_command("reproduce", *arguments, cwd=tmp_path)
    assert result.status == 2
    assert said in result.err and len(result.err.splitlines()) == 1


def test_the_page_of_no_records(qres_command, tmp_path):
    (tmp_path / "results" / "paper").mkdir(parents=True)
    result = qres_command(
        "reproduce", "--record", "results/paper", "--document", "docs/results.md", cwd=tmp_path
    )
    assert result.status == 0, result.err
    assert (tmp_path / "docs" / "results.md").read_text().count("**Not run.**") == 9
