"""The generated part of docs/performance.md, between its markers, and its pictures."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from . import pictures
from .store import Store

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"


def write_page(store: Store, folder: Path, parts: list[ModuleType]) -> None:
    """Everything that is recorded, as tables and pictures; the text around stays."""
    images = folder / "images"
    images.mkdir(parents=True, exist_ok=True)
    drawn = pictures.draw(store, images)
    sections = [_head(store)]
    for part in parts:
        if tables := part.tables(store):
            shown = "\n".join(table.markdown() for table in tables)
            picture = drawn.get(part.__name__.rsplit(".", 1)[-1])
            image = f"![{picture[1]}](images/{picture[0]})\n\n" if picture else ""
            sections.append(f"### {part.TITLE}\n{image}{shown}")
    path = folder / "performance.md"
    old = path.read_text() if path.exists() else f"{BEGIN}\n{END}\n"
    before, after = old.split(BEGIN)[0], old.split(END)[1]
    path.write_text(before + BEGIN + "\n" + "\n".join(sections) + END + after)


def _head(store: Store) -> str:
    machine: dict[str, Any] = store.content["machine"]
    dates = sorted(piece["date"][:10] for piece in store.pieces.values())
    versions = ", ".join(f"{name} {number}" for name, number in store.content["versions"].items())
    when = f"{dates[0]} to {dates[-1]}" if dates and dates[0] != dates[-1] else (dates or ["never"])[0]
    return (
        f"Measured {when} by `{store.content['command']}` on {machine['cores']} cores, {machine['cpu']}, "
        f"{machine['memory_gib']} GiB, {machine['system']}; {versions}.\n"
    )
