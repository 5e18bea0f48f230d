"""Pages whose code is run: blocks become the cells of a notebook, and what these display stands below them.

A Python block is a cell; a TOML block with a title is written to the file of that name; each line that begins with `$ `
in a console block is a command. A cell or command that fails ends the build.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbclient
import nbformat
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "docs"
_FENCE = re.compile(r"^```(python|console|toml title=\"([^\"]+)\")\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_SUCCEEDED = "assert _exit_code == 0, f'exit status {_exit_code}'"
_SECONDS = 900


@dataclass(frozen=True)
class Block:
    """A piece of a page: text, or code with what stands in the notebook for it."""

    markdown: str
    cells: tuple[str, ...] = ()


def blocks(page: str) -> Iterator[Block]:
    """The pieces of a page, in order."""
    end = 0
    for found in _FENCE.finditer(page):
        yield Block(page[end : found.start()])
        kind, title, code = found.groups()
        yield Block(found[0], tuple(_cells(kind, title, code)))
        end = found.end()
    yield Block(page[end:])


def _cells(kind: str, title: str | None, code: str) -> list[str]:
    if kind == "python":
        return [code.rstrip()]
    if title is not None:
        return [f"%%writefile {title}\n{code.rstrip()}"]
    commands = [line.removeprefix("$ ") for line in code.splitlines() if line.startswith("$ ")]
    return [f"!{command}" for command in commands]


def executed(page: str, name: str) -> tuple[str, str]:
    """The page with what its cells display, and the same as a notebook in JSON."""
    pieces = list(blocks(page))
    codes = [code for piece in pieces for code in piece.cells]
    outputs = iter(_outputs(codes, name))
    text, cells = [], []
    for piece in pieces:
        text.append(piece.markdown)
        if not piece.cells and piece.markdown.strip():
            cells.append(nbformat.v4.new_markdown_cell(piece.markdown.strip()))
        for code in piece.cells:
            found = next(outputs)
            cells.append(nbformat.v4.new_code_cell(code, outputs=[nbformat.from_dict(one) for one in found]))
            text += [] if code.startswith("%%writefile") else ["\n\n", *map(_shown, found)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    for place, cell in enumerate(notebook.cells):
        cell.id = f"cell-{place}"
    return "".join(text), nbformat.writes(notebook)


def _outputs(codes: list[str], name: str) -> list[list[dict[str, Any]]]:
    """What each cell displays; kept by the code of the page and of qres."""
    kept = CACHE / f"{_key(codes)}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    print(f"running {name} ({len(codes)} cells)", file=sys.stderr, flush=True)
    outputs = _run(codes, name)
    CACHE.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(outputs))
    return outputs


def _key(codes: list[str]) -> str:
    """With QRES_DOCS_REUSE=1, a page is not run again only because qres has changed."""
    sources = [] if os.environ.get("QRES_DOCS_REUSE") == "1" else sorted((ROOT / "src").rglob("*.py"))
    content = [*(code.encode() for code in codes), *(source.read_bytes() for source in sources)]
    return hashlib.sha256(b"\0".join(content)).hexdigest()[:32]


def _run(codes: list[str], name: str) -> list[list[dict[str, Any]]]:
    notebook = nbformat.v4.new_notebook()
    for code in codes:
        notebook.cells.append(nbformat.v4.new_code_cell(code))
        if code.startswith("!"):
            notebook.cells.append(nbformat.v4.new_code_cell(_SUCCEEDED))
    paths = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    os.environ |= {"PATH": os.pathsep.join(paths), "TTY_COMPATIBLE": "0", "COLUMNS": "100"}
    with tempfile.TemporaryDirectory() as folder:
        client = nbclient.NotebookClient(
            notebook, timeout=_SECONDS, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        try:
            client.execute()
        except CellExecutionError as error:
            raise SystemExit(f"{name}: a cell failed:\n{_ANSI.sub('', str(error))}") from None
    shown = [cell for cell in notebook.cells if cell.source != _SUCCEEDED]
    return [_merged([dict(output) for output in cell.outputs]) for cell in shown]


def _merged(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Streams as one, in the order in which they began."""
    merged: list[dict[str, Any]] = []
    for output in outputs:
        if output["output_type"] == "stream" and merged and merged[-1].get("name") == output["name"]:
            merged[-1]["text"] += output["text"]
        else:
            merged.append(output)
    return merged


def _shown(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return _text(_last_lines(_ANSI.sub("", output["text"]).replace("\r\n", "\n")))
    data = output["data"]
    if "image/png" in data:
        source = data["image/png"].replace("\n", "")
        return f'<div class="qres-output"><img alt="output" src="data:image/png;base64,{source}"></div>\n\n'
    if "text/html" in data:
        shown = re.sub(r"\n\s*", " ", data["text/html"])
        return f'<div class="qres-output">{shown}</div>\n\n'
    return _text(data["text/plain"])


def _last_lines(text: str) -> str:
    """Lines as a terminal shows them in the end: a carriage return begins its line again."""
    return "\n".join(line.rsplit("\r", 1)[-1] for line in text.splitlines())


def _text(text: str) -> str:
    return (
        f'<div class="qres-output"><pre>{html.escape(text.strip())}</pre></div>\n\n' if text.strip() else ""
    )
