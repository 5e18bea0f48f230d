"""Messages: one line, in letters that a terminal shows and does not obey."""

import pytest

import qres
from qres.runtime.errors import Failure, InputError, printable


@pytest.mark.parametrize("kind", [InputError, Failure])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no\n  such\tname", "no such name"),
        ("\x1b[2Jx", "\\x1b[2Jx"),
        ("a\u202eb", "a\\u202eb"),
        ("a\ud800b", "a\\ud800b"),
        ("Δu — größer", "Δu — größer"),
    ],
)
def test_a_message_is_a_line_that_can_be_printed(kind, text, shown):
    message = str(kind(text))
    assert message == shown
    message.encode()


def test_names_of_columns_reach_the_terminal_as_escapes(tmp_path, capsys):
    (tmp_path / "d.csv").write_text("x,u,\x1b[2Jspare\n0,1,1\n1,2,2\n")
    problem = qres.Problem("u_x = u", {"x": (0, 1)}, data=tmp_path / "d.csv")
    qres.solve(problem, qres.Architecture(width=2, depth=1), iterations=1)
    shown = capsys.readouterr().err
    assert "\\x1b[2Jspare" in shown
    assert "\x1b" not in shown
    assert printable("plain") == "plain"
