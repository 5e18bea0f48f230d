"""Names as mathematics, and figures as files."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from qres import plots
from qres.runtime.files import replace_file


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("u", "$u$"),
        ("u_x", "$u_{x}$"),
        ("u_xx", "$u_{xx}$"),
        ("lambda_1", "$λ_{1}$"),
        ("Omega", "$Ω$"),
        ("psi", "$ψ$"),
        ("temperature", r"$\mathrm{temperature}$"),
        ("k_left_wall", r"$k_{\mathrm{left\ wall}}$"),
        ("a$b", r"a\$b"),
        ("k[0]", "k[0]"),
    ],
)
def test_labels(name: str, label: str):
    assert plots.label(name) == label


@pytest.mark.parametrize(
    "name",
    ["temperature", "psi", "lambda_1", "u_xx", "two words", "a$b", r"\frac", "{", "a_", "_", "long " * 99],
)
def test_every_name_can_be_drawn(name: str):
    exact = xr.Dataset({name: ("x", np.linspace(1, 2, 5))}, coords={"x": np.arange(5.0)})
    plots.field_figure(exact * 1.001, exact).draw_without_rendering()


def figure():
    return plots.field_figure(xr.Dataset({"u": ("x", np.arange(5.0))}, coords={"x": np.arange(5.0)}))


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml"), ("PNG", b"\x89PNG")]
)
def test_the_suffix_says_the_format(tmp_path: Path, suffix: str, start: bytes):
    path = plots.save(figure(), tmp_path / f"figure.{suffix}")
    assert path.read_bytes().startswith(start)
    assert [file.name for file in tmp_path.iterdir()] == [f"figure.{suffix}"], "no temporary file stays"


def test_an_unknown_suffix_is_named(tmp_path: Path):
    with pytest.raises(ValueError, match=r"a figure can be written as \.png, \.pdf, \.svg"):
        plots.save(figure(), tmp_path / "figure.jpg")


def test_a_failed_write_keeps_the_old_file(tmp_path: Path):
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        replace_file(path, "text, not bytes")  # pyright: ignore[reportArgumentType]
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1
