"""`qres reference`: a reference solution as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qres.runtime.errors import InputError

from ._app import app
from .predict import write


@app.command()
def reference(
    name: Annotated[
        str, typer.Argument(help="burgers, kdv, allen-cahn, schrodinger, wake; or a TOML file (see below).")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where it goes: a .nc file.")],
    resolution: Annotated[
        str | None,
        typer.Option(
            help="`truth` has converged, the default; `paper` has as few modes as the published data."
        ),
    ] = None,
) -> None:
    """Write a reference solution as NetCDF, with the error that remains in it.

    A TOML file must hold an evolution equation, `u_t = …`, periodic in space, with initial conditions: it is solved by
    a Fourier method with the same formulas that a network would be trained on.
    """
    from qres import reference as answers
    from qres.problems import spectral_reference

    if out.suffix != ".nc":
        raise InputError(f"{out}: the file must end in .nc")
    if name.endswith(".toml") or "/" in name:
        from qres.runs import read_specification

        if resolution is not None:
            raise InputError(
                f"--resolution {resolution}: that of a TOML file is refined until it has converged"
            )
        dataset = spectral_reference(read_specification(name).problem).to_xarray()
    else:
        dataset = answers.solve(name, resolution or "truth")
    write(out, lambda file: dataset.to_netcdf(file, engine="h5netcdf"))
    shape = " × ".join(f"{axis} {size}" for axis, size in dataset.sizes.items())
    fields = ", ".join(map(str, dataset.data_vars))
    typer.echo(f"{out}: {fields} on a grid of {shape}")
    typer.echo(f"error {dataset.attrs['error']:.1e} ({dataset.attrs['error_meaning']})")
