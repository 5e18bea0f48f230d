"""`qres predict`: values of a solution at points or on a grid."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qres.runtime.errors import InputError
from qres.runtime.files import written

from ._app import app

if TYPE_CHECKING:
    import xarray as xr

    from qres.solution import Solution


def open_solution(path: Path) -> Solution:
    """The solution of a run folder, or in a file."""
    from qres.runs import RunFolder
    from qres.solution import load

    if path.is_dir():
        folder = RunFolder.open(path)
        if not folder.solution_file.exists():
            raise InputError(f"{path}: this run has no solution yet; finish it with: qres resume {path}")
        return load(folder.solution_file)
    return load(path)


@app.command()
def predict(
    source: Annotated[
        Path, typer.Argument(metavar="RUN_OR_FILE", help="A run folder, or a file of a saved solution.")
    ],
    at: Annotated[
        str | None,
        typer.Option(
            metavar="POINT|FILE", help="A point, e.g. `t=0.5,x=0.1`; or a file of points, `places.csv`."
        ),
    ] = None,
    grid: Annotated[
        str | None, typer.Option(metavar="SIZES", help="A grid over the domain, e.g. `100x200`.")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(help="A field or derivative (`u`, `u_x`); may be given again. Default: all fields."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where values go: .nc, .csv or .npz."),
    ] = None,
) -> None:
    """Values of a solution: at a point, printed; at the points of a file, or on a grid, as a file.

    A file of points has a column for each coordinate; CSV, NPZ, NetCDF and MAT are read.
    """
    from qres.data import READERS

    if (at is None) == (grid is None):
        raise InputError('say where: either --at "t=0.5,x=0.1", --at places.csv, or --grid 100x200')
    is_file = at is not None and Path(at).suffix.lower() in READERS
    if out is not None and at is not None and not is_file:
        raise InputError(
            f"-o {out}: the values at a point are printed; a file is for --grid, or --at places.csv"
        )
    if out is None and (is_file or grid is not None):
        raise InputError("many values need a file to go to: -o out.nc, out.csv or out.npz")
    if out is not None and out.suffix not in _WRITERS:
        raise InputError(f"{out}: the file must end in {', '.join(_WRITERS)}")
    solution = open_solution(source)
    names = tuple(field or solution.names)
    if at is not None and not is_file:
        values = _at(solution, names, parse_point(at))
        for name in names:
            typer.echo(f"{name} = {values[name]:.15g}")
        return
    dataset = (
        solution.to_xarray(parse_sizes(grid), *names) if grid else _at_points(solution, names, Path(at or ""))
    )
    assert out is not None
    write(out, lambda file: _WRITERS[out.suffix](dataset, file))
    shape = " × ".join(f"{name} {size}" for name, size in dataset.sizes.items())
    typer.echo(f"{out}: {', '.join(names)}, {shape}")


def write(path: Path, make: Callable[[Path], object]) -> None:
    """A file, made under a temporary name; where it cannot be, that is wrong input."""
    try:
        with written(path) as temporary:
            make(temporary)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def _at(solution: Solution, names: tuple[str, ...], points: Mapping[str, Any]) -> dict[str, Any]:
    """Values by name; what is doubtful goes to standard error."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        values = solution(*names, **points)
    for warning in said:
        typer.echo(f"warning: {warning.message}", err=True)
    return {names[0]: values} if len(names) == 1 else values


def _at_points(solution: Solution, names: tuple[str, ...], file: Path) -> xr.Dataset:
    import xarray as xr

    from qres.data import Data

    columns = Data.read(file).columns
    missing = [name for name in solution.problem.coordinates if name not in columns]
    if missing:
        raise InputError(f"{file}: no column {', '.join(missing)}; there are {', '.join(columns)}")
    points = {name: columns[name] for name in solution.problem.coordinates}
    return xr.Dataset(
        {name: ("point", array) for name, array in (points | _at(solution, names, points)).items()}
    )


def parse_point(text: str) -> dict[str, float]:
    """`"t=0.5,x=0.1"` as numbers by name."""
    point: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        try:
            if not equals:
                raise ValueError
            point[name.strip()] = float(value)
        except ValueError:
            raise InputError(
                f"--at {text!r}: {part.strip()!r} is not a coordinate and a number, as in t=0.5"
            ) from None
    return point


def parse_sizes(text: str) -> tuple[int, ...]:
    """`"100x200"` as whole numbers."""
    try:
        sizes = tuple(int(part) for part in text.lower().split("x"))
    except ValueError:
        raise InputError(
            f"--grid {text!r}: write sizes as whole numbers with x between, as in 100x200"
        ) from None
    if min(sizes) < 1:
        raise InputError(f"--grid {text!r}: sizes must be 1 or more")
    return sizes


def _write_netcdf(dataset: xr.Dataset, path: Path) -> None:
    dataset.to_netcdf(path, engine="h5netcdf")


def _write_csv(dataset: xr.Dataset, path: Path) -> None:
    dataset.to_dataframe().to_csv(path, index="point" not in dataset.dims)


def _write_npz(dataset: xr.Dataset, path: Path) -> None:
    import numpy as np

    arrays = {str(name): dataset[name].values for name in dataset.variables}
    with path.open("wb") as file:  # to a path without that suffix, NumPy would add it
        np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]


_WRITERS = {".nc": _write_netcdf, ".csv": _write_csv, ".npz": _write_npz}
