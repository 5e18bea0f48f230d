"""`qres predict`: values of a solution at points or on a grid."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qres.runtime.errors import InputError
from qres.runtime.files import atomic_write

from ._app import app

if TYPE_CHECKING:
    import xarray as xr

    from qres.solution import Solution


_LONGEST_LINE = 10_000_000


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
            metavar="POINT|FILE",
            help="A point, `t=0.5,x=0.1`; a line or grid, `t=0.5,x=0:1:11`; or a file of points, `places.csv`.",
        ),
    ] = None,
    grid: Annotated[
        str | None, typer.Option(metavar="SIZES", help="A grid over the domain, e.g. `100x200`.")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            help="A field, derivative or formula (`u`, `u_x`, `speed = sqrt(u^2 + v^2)`); may be given again. "
            "Default: all fields."
        ),
    ] = None,
    integral: Annotated[
        bool, typer.Option("--integral", help="Integrals over all coordinates that --at does not fix.")
    ] = False,
    maximum: Annotated[
        bool, typer.Option("--maximum", help="Largest values, and where; --at may fix coordinates.")
    ] = False,
    minimum: Annotated[
        bool, typer.Option("--minimum", help="Smallest values, and where; --at may fix coordinates.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where values go: .nc, .csv or .npz."),
    ] = None,
) -> None:
    """Values of a solution: at a point or along a line, printed; at the points of a file, or on a grid, as a file.

    A file of points has a column for each coordinate; CSV, NPZ, NetCDF and MAT are read.
    """
    from qres.data import READERS

    if integral or maximum or minimum:
        _quantities(source, at, field, {"integral": integral, "maximum": maximum, "minimum": minimum})
        return
    if (at is None) == (grid is None):
        raise InputError('say where: either --at "t=0.5,x=0.1", --at places.csv, or --grid 100x200')
    is_file = at is not None and Path(at).suffix.lower() in READERS
    is_line = at is not None and not is_file and ":" in at
    if out is not None and at is not None and not is_file and not is_line:
        raise InputError(
            f"-o {out}: the values at a point are printed; a file is for --grid, or --at places.csv"
        )
    if out is None and (is_file or grid is not None):
        raise InputError("many values need a file to go to: -o out.nc, out.csv or out.npz")
    if out is not None and out.suffix not in _WRITERS:
        raise InputError(f"{out}: the file must end in {', '.join(_WRITERS)}")
    solution = open_solution(source)
    names = tuple(field or solution.names)
    if at is not None and not is_file and not is_line:
        for name, value in _at(solution, names, parse_point(at)).items():
            typer.echo(f"{name} = {value:.15g}")
        return
    if is_line:
        dataset = solution.to_xarray(_checked_axes(solution, parse_line(at or "")), *names)
    elif grid:
        dataset = solution.to_xarray(parse_sizes(grid), *names)
    else:
        dataset = _at_points(solution, names, Path(at or ""))
    names = tuple(map(str, dataset.data_vars))
    if out is None:
        typer.echo(dataset.to_dataframe().to_csv(float_format="%.15g"), nl=False)
        return
    write(out, lambda file: _WRITERS[out.suffix](dataset, file))
    shape = " × ".join(f"{name} {size}" for name, size in dataset.sizes.items())
    typer.echo(f"{out}: {', '.join(names)}, {shape}")


def write(path: Path, make: Callable[[Path], object]) -> None:
    """A file, made under a temporary name; where it cannot be, that is wrong input."""
    try:
        with atomic_write(path) as temporary:
            make(temporary)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def _echo_warnings(action: Callable[[], Any]) -> Any:
    """What an action returns; what is doubtful goes to standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = action()
    for warning in caught:
        typer.echo(f"warning: {warning.message}", err=True)
    return found


def _quantities(source: Path, at: str | None, field: list[str] | None, wanted: Mapping[str, bool]) -> None:
    """Integrals and extrema, a line each."""
    from qres.fields import labelled

    solution = open_solution(source)
    fixed = parse_point(at) if at else {}
    for text in field or solution.names:
        for what in (name for name, is_wanted in wanted.items() if is_wanted):
            found = _echo_warnings(lambda what=what, text=text: getattr(solution, what)(text, **fixed))
            shown = f"{what} of {labelled(text)[0]}"
            if what == "integral":
                typer.echo(f"{shown} = {found:.15g}")
            else:
                place = ", ".join(f"{name}={value:.10g}" for name, value in found.at.items())
                typer.echo(f"{shown} = {found.value:.15g} at {place}")


def _at(solution: Solution, names: tuple[str, ...], points: Mapping[str, Any]) -> dict[str, Any]:
    """Values by name."""
    from qres.fields import labelled

    values = _echo_warnings(lambda: solution(*names, **points))
    return {labelled(names[0])[0]: values} if len(names) == 1 else values


def _at_points(solution: Solution, names: tuple[str, ...], file: Path) -> xr.Dataset:
    import xarray as xr

    from qres.data import Data

    columns = Data.read(file).columns
    missing = [name for name in solution.problem.coordinates if name not in columns]
    if missing:
        raise InputError(f"{file}: no column {', '.join(missing)}; there are {', '.join(columns)}")
    points = {name: columns[name] for name in solution.problem.coordinates}
    found = points | _real_columns(_at(solution, names, points))
    return xr.Dataset({name: ("point", array) for name, array in found.items()})


def _real_columns(values: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of real numbers, as files hold them: of complex values both parts."""
    from qres.formulas import part_names

    found: dict[str, Any] = {}
    for name, array in values.items():
        parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
        found |= dict(zip(part_names(name) if len(parts) == 2 else (name,), parts, strict=True))
    return found


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


def parse_line(text: str) -> dict[str, Any]:
    """`"t=0.5,x=0:1:11"` as values by name: one, or so many from the first to the last."""
    import numpy as np

    axes: dict[str, Any] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        ends = value.split(":")
        if len(ends) == 1:
            axes |= parse_point(part)
            continue
        try:
            low, high, count = float(ends[0]), float(ends[1]), int(ends[2])
            if len(ends) != 3 or not 1 <= count <= _LONGEST_LINE:
                raise ValueError
        except (ValueError, IndexError):
            raise InputError(
                f"--at {text!r}: {part.strip()!r} is not a range, as in x=0:1:11, from, to and how many"
            ) from None
        axes[name.strip()] = np.linspace(low, high, count)
    return axes


def _checked_axes(solution: Solution, axes: dict[str, Any]) -> dict[str, Any]:
    """Values of all coordinates; a point outside the domain is told."""
    import numpy as np

    from qres.fields import outside_box

    names = solution.problem.coordinates
    if set(axes) != set(names):
        wrong = [name for name in axes if name not in names]
        what = f"not a coordinate: {wrong[0]}" if wrong else f"missing: {', '.join(set(names) - set(axes))}"
        raise InputError(f"{what}; the coordinates are {', '.join(names)}")
    ends = [[np.min(axes[name]), np.max(axes[name])] for name in names]
    for message in outside_box(solution.problem, np.array(ends)):  # outside the region, a grid has no values
        typer.echo(f"warning: {message}", err=True)
    return axes


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
    if wrong := [name for name in map(str, dataset.data_vars) if "/" in name]:
        raise InputError(
            f"{wrong[0]!r} cannot be a name in a NetCDF file: give it one, --field 'q = {wrong[0]}'"
        )
    dataset.to_netcdf(path, engine="h5netcdf")


def _write_csv(dataset: xr.Dataset, path: Path) -> None:
    dataset.to_dataframe().to_csv(path, index="point" not in dataset.dims)


def _write_npz(dataset: xr.Dataset, path: Path) -> None:
    import numpy as np

    arrays = {str(name): dataset[name].values for name in dataset.variables}
    with path.open("wb") as file:  # to a path without that suffix, NumPy would add it
        np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]


_WRITERS = {".nc": _write_netcdf, ".csv": _write_csv, ".npz": _write_npz}
