"""The gallery: every recorded run of an example or built-in problem, with its picture, error, time and file."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any

from qres.problems import library

ROOT = Path(__file__).parents[2]
_HEAD = """# Gallery

Every built-in problem and every file of `examples/`, as `make gallery` recorded it: 30 seconds of one CPU core each, on
a busy machine, with defaults and seed 0. *Error* is the relative L2 error against the exact or reference solution where
one is known, else what the run estimated. More time makes most of them more accurate: [Accuracy](../accuracy.md).

"""


def page() -> str:
    """The page, in Markdown."""
    recorded = ROOT / "results" / "gallery.json"
    runs = json.loads(recorded.read_text())["runs"] if recorded.exists() else {}
    if not runs:
        return _HEAD + "Nothing is recorded yet: `make gallery`.\n"
    built_in = [name for name in library.names() if name in runs]
    others = [name for name in runs if name not in built_in and _source(name) is not None]
    parts = [_HEAD, _cards([*built_in, *others], runs)]
    for title, names in (("Built-in problems", built_in), ("Examples", others)):
        parts.append(f"## {title}\n\n")
        parts += [_entry(name, runs[name]) for name in names]
    return "".join(parts)


def _cards(names: list[str], runs: dict[str, Any]) -> str:
    cards = [
        f'<a class="qres-card" href="#{_anchor(name)}"><img loading="lazy" alt="{name}" '
        f'src="../images/gallery/{name}.png"><b>{name}</b><span>{_headline(runs[name])}</span></a>'
        for name in names
        if _picture(name).exists()
    ]
    return f'<div class="qres-cards">{"".join(cards)}</div>\n\n'


def _entry(name: str, run: dict[str, Any]) -> str:
    source = _source(name)
    assert source is not None
    text = source.read_text()
    stated = tomllib.loads(text)["problem"]["equations"]
    equations = [stated] if isinstance(stated, str) else stated
    picture = f"![{name}](../images/gallery/{name}.png)\n\n" if _picture(name).exists() else ""
    said = f"`{'`, `'.join(equations)}`\n\n" if equations else ""
    unknowns = "".join(f"- {line}\n" for line in _unknowns(run))
    network = f"{run['network']}, {run['parameters']} parameters, {run['iterations']} iterations"
    folded = "\n".join(f"    {line}".rstrip() for line in text.splitlines())
    return (
        f"### {name}: {_headline(run)} {{ #{_anchor(name)} }}\n\n{said}{picture}{unknowns}\n"
        f"`{run['command']}`: {network}.\n\n"
        f'??? example "{source.name}"\n\n    ```toml\n{folded}\n    ```\n\n'
    )


def _headline(run: dict[str, Any]) -> str:
    """The error and the time, in a few words."""
    seconds = f"{run['seconds']:.0f} s"
    finite = {
        name: error
        for name, error in run["errors"].items()
        if isinstance(error, float) and math.isfinite(error)
    }
    if finite:
        return f"error {max(finite.values()):.1e} in {seconds}"
    return f"{run.get('verdict') or 'error not known'}, {seconds}"


def _unknowns(run: dict[str, Any]) -> list[str]:
    lines = []
    for name, found in run["unknowns"].items():
        value, stderr = found["value"], found.get("stderr")
        if isinstance(value, float):
            around = f" ± {1.96 * stderr:.2g} (95 %)" if isinstance(stderr, float) else ""
            true = f", true value {found['true']:g}" if isinstance(found.get("true"), float) else ""
            lines.append(f"`{name}` = {value:.6g}{around}{true}")
    return lines


def _source(name: str) -> Path | None:
    file = ROOT / "examples" / f"{name}.toml"
    if file.exists():
        return file
    return Path(library.path(name)) if name in library.names() else None


def _picture(name: str) -> Path:
    return ROOT / "docs" / "images" / "gallery" / f"{name}.png"


def _anchor(name: str) -> str:
    return name
