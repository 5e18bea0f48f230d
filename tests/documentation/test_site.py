"""What the documentation site is built from: executed pages, pages made from code, and nothing that is left out."""

import re
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "sitegen"))

import execute  # noqa: E402
import generated  # noqa: E402
import problem_gallery  # noqa: E402

TESTED = {"python.md", "extending.md"}  # by tests that run them section by section
PAGES = {path.relative_to(DOCS).as_posix(): path.read_text() for path in sorted(DOCS.rglob("*.md"))}
EXECUTED = {name for name, text in PAGES.items() if text.startswith("---\nexecute: true\n---\n")}


def test_every_page_is_in_the_menu():
    menu = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    assert {name for name in PAGES if not name.startswith(("paper/", "sitegen/"))} <= menu


def test_python_and_commands_stand_on_pages_that_are_run():
    """Elsewhere are fragments only, each of a few lines."""
    for name, text in PAGES.items():
        if name in EXECUTED | TESTED or name.startswith("paper/"):
            continue
        for code in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            assert len(code.splitlines()) <= 12, f"{name}: nothing runs\n{code}"
    assert len(EXECUTED) >= 10


def test_every_public_name_has_a_docstring_and_a_place():
    assert generated.undocumented() == []
    pages = "".join(generated.api_pages().values())
    import qres

    for name in set(dir(qres)) - {"__version__"}:
        assert re.search(rf"qres(\.math)?\.{name}\b", pages), name


def test_the_keys_of_files_are_those_of_the_code():
    page = generated.file_page()
    for key in (
        "`equations` | required",
        "`width` | `int` | `20`",
        "`resample_every` | `int` | `400`",
        "`stages`",
    ):
        assert key in page
    assert "numbers to find" in page


PAGE = """# A page

Text.

```toml title="a.toml"
x = 1
```

```console
$ cat a.toml
```

```python
print(6 * 7)
```
"""


def test_blocks_become_cells():
    cells = [cell for block in execute.blocks(PAGE) for cell in block.cells]
    assert cells == ["%%writefile a.toml\nx = 1", "!cat a.toml", "print(6 * 7)"]
    assert "".join(block.markdown for block in execute.blocks(PAGE)) == PAGE


def test_outputs_stand_below_their_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(execute, "CACHE", tmp_path)
    page, notebook = execute.executed(PAGE, "page.md")
    assert re.search(r"```console\n\$ cat a.toml\n```\s+<div class=\"qres-output\"><pre>x = 1</pre>", page)
    assert "<pre>42</pre>" in page
    nbformat.validate(nbformat.reads(notebook, as_version=4))
    monkeypatch.setattr(execute, "_run", lambda *_: pytest.fail("the kept outputs are used"))
    assert execute.executed(PAGE, "page.md")[0] == page


def test_a_command_that_fails_ends_the_build(tmp_path, monkeypatch):
    monkeypatch.setattr(execute, "CACHE", tmp_path)
    with pytest.raises(SystemExit, match=r"page\.md: a cell failed"):
        execute.executed("```console\n$ false\n```\n", "page.md")


def test_the_gallery_has_every_recorded_problem():
    assert "# Gallery" in problem_gallery.page()
    entry = problem_gallery._entry("heat", {
        "errors": {"u": 1.5e-6}, "seconds": 30.2, "unknowns": {"k": {"value": 0.1, "stderr": 0.01, "true": 0.1}},
        "network": "qres", "parameters": 10, "iterations": 3, "command": "qres solve heat.toml", "verdict": "",
    })  # fmt: skip
    assert "### heat: error 1.5e-06 in 30 s { #heat }" in entry
    assert "`k` = 0.1 ± 0.02 (95 %), true value 0.1" in entry
    assert '??? example "heat.toml"' in entry
