"""Atomic writing of figures and other files."""

from __future__ import annotations

import io
import os
from pathlib import Path

from matplotlib.figure import Figure

from qres.runtime.errors import InputError
from qres.runtime.files import replace_file

SUFFIXES = (".png", ".pdf", ".svg")
_DPI = 200


def save(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure as what the path's suffix says: .png, .pdf or .svg.

    Args:
        figure: any Matplotlib figure.
        path: an existing file is replaced, when the new one is complete.
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(f"path={str(path)!r}: a figure can be written as {', '.join(SUFFIXES)}")
    return replace_file(target, render(figure, target.suffix.lower()[1:]))


def render(figure: Figure, kind: str, dpi: int = _DPI) -> bytes:
    """A figure's file content.

    Args:
        figure: any Matplotlib figure.
        kind: "png", "pdf" or "svg".
        dpi: of a PNG.
    """
    metadata = {"png": {"Software": "qres"}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}[kind]
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=dpi, metadata=metadata)
    return content.getvalue()
