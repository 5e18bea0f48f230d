"""The Solution: fields to be evaluated, differentiated, compared, drawn and saved."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from jaxtyping import Float

from qres.data import Data
from qres.fields import (
    Chain,
    ChainEvaluator,
    Evaluator,
    Model,
    Request,
    Scheme,
    StageEvaluator,
    default_axes,
    even_axes,
    known_solution,
    labelled,
    only_inside,
    outside,
    parse_parts,
    parse_request,
    relative_error,
    without_mean,
    without_means,
)
from qres.formulas import part_names
from qres.posed import time_axis
from qres.problems import Problem, ReferenceFile
from qres.reference import Gridded
from qres.results import Estimate, Record, Result, Unknowns
from qres.runtime.errors import InputError, NotConverged
from qres.runtime.jax_config import configure

from ._complex import complex_errors, default_names, joined, values_of
from ._extremum import Extremum
from ._file import Stored, write_file
from ._frames import coordinates_of, solution_html, table_of
from ._quantities import Over, in_slabs, slices

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure

Grid = Mapping[str, Any] | Sequence[int] | None
_SLAB = 1_000_000  # points of a grid that are evaluated at a time


class Solution:
    """What was found for a problem.

    `solution(t=0.5, x=0.1)` is the field there, `solution("u_x", t=0.5, x=xs)` a derivative of it; arrays broadcast.
    Formulas are evaluated likewise, `solution("u^2 + u_x^2", …)`, integrated and maximised.
    With several fields and none named, the result is a dictionary. Complex fields have complex values; on grids and in
    files they are their parts, `h_re`, `h_im` and `h_abs`. In discrete time there is a `scheme`, and the
    solution is known from its beginning to its end; pictures and errors are those at the end. With time windows there
    is a `chain`, and the model holds the networks of all windows.
    """

    def __init__(
        self,
        problem: Problem,
        model: Model,
        result: Result | None = None,
        history: Sequence[Record] = (),
        scheme: Scheme | None = None,
        training_points: Mapping[str, np.ndarray] | None = None,
        chain: Chain | None = None,
    ) -> None:
        configure()
        self.problem = problem
        self.model = model
        self.result = Result(problem.name) if result is None else result
        self.history = list(history)
        self.scheme = scheme
        self.chain = chain
        self.training_points = dict(training_points or {})  # by term, `(d, n)`; a file does not hold them
        self._evaluator: Evaluator | StageEvaluator | ChainEvaluator = Evaluator(problem)
        if scheme is not None:
            self._evaluator = StageEvaluator(problem, scheme)
        elif chain is not None:
            self._evaluator = ChainEvaluator(problem, chain)

    def evaluate(
        self, points: Float[np.ndarray, "d n"], requests: tuple[Request, ...]
    ) -> Float[np.ndarray, "requests n"]:
        """Derivatives of fields, each a name and a multi-index, at points."""
        return self._evaluator(self.model, points, requests)

    @property
    def names(self) -> tuple[str, ...]:
        """The fields and definitions that can be asked for."""
        return (*self.problem.fields, *self.problem.definitions)

    def __call__(self, *names: str, **coordinates: Any) -> Any:
        """Fields, derivatives or formulas of them at coordinates, in the shape that these broadcast to.

        A formula, `"sqrt(u_x^2 + u_y^2)"`, may use all that the problem names; `"speed = sqrt(u^2 + v^2)"` has a name.
        """
        missing = [name for name in self.problem.coordinates if name not in coordinates]
        unknown = [name for name in coordinates if name not in self.problem.coordinates]
        if missing or unknown:
            wrong = f"missing: {', '.join(missing)}" if missing else f"not a coordinate: {', '.join(unknown)}"
            raise InputError(f"{wrong}; the coordinates are {', '.join(self.problem.coordinates)}")
        given = [np.asarray(coordinates[name], dtype=float) for name in self.problem.coordinates]
        try:
            arrays = np.broadcast_arrays(*given)
        except ValueError:
            shapes = ", ".join(
                f"{n} {np.shape(a)}" for n, a in zip(self.problem.coordinates, given, strict=True)
            )
            raise InputError(
                f"the coordinates' shapes do not fit together: {shapes}; use solution.to_xarray for a grid"
            ) from None
        points = np.stack([array.ravel() for array in arrays])
        for message in outside(self.problem, points):
            warnings.warn(message, stacklevel=2)
        wanted = names or default_names(self.problem)
        parts = [tuple(parse_parts(self.problem, name).values()) for name in wanted]
        values = self.evaluate(points, tuple(request for pair in parts for request in pair))
        rows = [row.reshape(arrays[0].shape)[()] for row in joined(values, parts)]
        labels = [labelled(name)[0] for name in wanted]
        return rows[0] if len(wanted) == 1 else dict(zip(labels, rows, strict=True))

    def to_xarray(self, grid: Grid = None, *names: str) -> xr.Dataset:
        """Fields or formulas on a grid: sizes (`(100, 200)`), values by coordinate, or a default for a picture."""
        return self._on(self._axes(grid), *names).to_xarray()

    def _on(self, axes: Mapping[str, np.ndarray], *names: str) -> Gridded:
        """Fields on a grid, as plain arrays."""
        wanted: dict[str, Request] = {}
        for name in names or self.names:
            wanted |= parse_parts(self.problem, name)
        requests = tuple(wanted.values())
        shape = tuple(len(values) for values in axes.values())
        values = np.empty((len(requests), math.prod(shape)))
        for first in range(
            0, values.shape[1], _SLAB
        ):  # as many points as a grid may have do not fit into memory
            slab = slice(first, first + _SLAB)
            places = np.unravel_index(np.arange(values.shape[1])[slab], shape)
            points = np.stack([axis[i] for axis, i in zip(axes.values(), places, strict=True)])
            values[:, slab] = only_inside(self.problem, points, self.evaluate(points, requests))
        fields = {name: row.reshape(shape) for name, row in zip(wanted, values, strict=True)}
        return Gridded(axes, fields, {"problem": self.problem.name})

    def _axes(self, grid: Grid) -> dict[str, np.ndarray]:
        if grid is None:
            return default_axes(self.problem, self.scheme)
        if not isinstance(grid, Mapping):
            return even_axes(self.problem, tuple(int(size) for size in grid), self.scheme)
        if set(grid) != set(self.problem.coordinates):
            raise InputError(
                f"a grid needs values for {', '.join(self.problem.coordinates)}, not for {', '.join(grid)}"
            )
        return {name: np.atleast_1d(np.asarray(grid[name], dtype=float)) for name in self.problem.coordinates}

    def integral(self, formula: str, over: Over = None, *, tolerance: float = 1e-8, **fixed: Any) -> Any:
        """The integral of a field or formula over the domain, or over some coordinates where others have values.

        `integral("u^2")` is over all coordinates, `integral("u^2", t=0.5)` over space at one time, and an array of
        times gives an array. Of a problem with `inside`, what is not inside does not count.

        Args:
            formula: of fields, derivatives, coordinates, constants and unknowns.
            over: names of coordinates, or intervals by name, `{"x": (0, 0.5)}`; by default all that have no value.
            tolerance: of the error, relative to the integral of the absolute value; a warning says where it is not met.
            fixed: values of the other coordinates.
        """
        shape, parts = slices(self.problem, self._bounds, over, fixed)
        function = self._function(formula)
        found = [part.integral(function, tolerance) for part in parts]
        return np.reshape(found, shape)[()]

    def maximum(self, formula: str, over: Over = None, **fixed: Any) -> Extremum:
        """The largest value of a field or formula and where it is; arguments as of `integral`."""
        return self._extremum(formula, over, fixed, 1)

    def minimum(self, formula: str, over: Over = None, **fixed: Any) -> Extremum:
        """The smallest value of a field or formula and where it is; arguments as of `integral`."""
        return self._extremum(formula, over, fixed, -1)

    def _extremum(self, formula: str, over: Over, fixed: Mapping[str, Any], sign: int) -> Extremum:
        shape, parts = slices(self.problem, self._bounds, over, fixed)
        if shape:
            raise InputError("an extremum is found for one value of each fixed coordinate, not for an array")
        return parts[0].extremum(self._function(formula), sign)

    def _function(self, formula: str) -> Callable[[np.ndarray], np.ndarray]:
        """Values of a formula at points of the domain."""
        request = parse_request(self.problem, formula)
        return in_slabs(lambda points: self.evaluate(points, (request,))[0])

    @property
    def _bounds(self) -> dict[str, tuple[float, float]]:
        """Where the solution is known: in discrete time, from the first to the last step."""
        time = {} if self.scheme is None else {"t": (self.scheme.edges[0], self.scheme.edges[-1])}
        return {**self.problem.bounds, **time}

    @property
    def is_partial(self) -> bool:
        """Whether it ends before the problem does: some windows of a run that was stopped."""
        if self.chain is None:
            return False
        low, high = self.problem.bounds[time_axis(self.problem)]
        return self.chain.edges[-1] < high - 1e-9 * (high - low)

    @cached_property
    def reference(self) -> xr.Dataset | None:
        """The exact solution, or the problem's reference, on a grid; None where neither is known there."""
        return self._known.to_xarray() if isinstance(self._known, Gridded) else None

    @cached_property
    def _known(self) -> Gridded | Data | None:
        try:
            return known_solution(self.problem, self.scheme)
        except NotConverged:
            return None
        except InputError:
            if isinstance(self.problem.reference, ReferenceFile):
                return None  # of a file that is gone, or another by now
            raise

    @cached_property
    def errors(self) -> dict[str, float]:
        """The relative L2 error of each field whose truth is known."""
        return {} if self._known is None else self.errors_against(self._known)

    def errors_against(self, truth: xr.Dataset | Gridded | Data) -> dict[str, float]:
        """The relative L2 error of each field on the grid of a dataset, or at points of data.

        That of a field which is known up to a constant is without the mean.
        """
        known: Any = truth.columns if isinstance(truth, Data) else getattr(truth, "fields", truth)
        names = [name for name in self.names if name in known]
        if not names:
            raise InputError(
                f"none of {', '.join(self.names)} is in what the solution is to be compared with"
            )
        if isinstance(truth, Data):
            joint = [name for name in self.problem.complex if {*part_names(name)} <= {*names}]
            return {name: self._error_at(truth, name) for name in (*joint, *names)}
        right = self._gridded(truth)
        found = self._aligned(right, *names)
        errors = {}
        for name in names:
            pair = found.fields[name], right.fields[name]
            if name in self.problem.up_to_constant:
                pair = tuple(without_mean(self.problem.coordinates, values) for values in pair)
            errors[name] = relative_error(*pair)
        return {**complex_errors(self.problem, found.fields, right.fields), **errors}

    def _error_at(self, truth: Data, name: str) -> float:
        right = values_of(self.problem, truth.columns, name)
        there = ~np.isnan(right)
        points: dict[str, Any] = {axis: truth.columns[axis][there] for axis in self.problem.coordinates}
        pair = self(name, **points), right[there]
        if name in self.problem.up_to_constant:
            times = points.get("t", np.zeros(int(there.sum())))
            pair = tuple(without_means(times, values) for values in pair)
        return relative_error(*pair)

    def on_grid_of(self, truth: xr.Dataset, *names: str) -> xr.Dataset:
        """Fields on the grid of a dataset; those known up to a constant get the mean that they have there."""
        return self._aligned(self._gridded(truth), *names).to_xarray()

    def _gridded(self, truth: xr.Dataset | Gridded) -> Gridded:
        coordinates = self.problem.coordinates
        return truth if isinstance(truth, Gridded) else Gridded.from_xarray(truth, coordinates)

    def _aligned(self, right: Gridded, *names: str) -> Gridded:
        """Fields on the grid of others, with the means of those where they are known up to a constant."""
        found = self._on(self._axes(right.axes), *names)
        means = {
            name: right.fields[name] - without_mean(self.problem.coordinates, right.fields[name])
            for name in self.problem.up_to_constant
            if name in found.fields and name in right.fields
        }
        shifted = {
            name: without_mean(self.problem.coordinates, found.fields[name]) + mean
            for name, mean in means.items()
        }
        return replace(found, fields={**found.fields, **shifted})

    def estimate(self, effort: float = 1.0) -> Estimate:
        """The error without a reference: what fresh points ask to be corrected; a larger `effort` looks closer."""
        from qres.estimate import estimate  # evaluating a solution needs none of its rooms

        return estimate(self, effort)

    @property
    def unknowns(self) -> Unknowns:
        """The numbers that were found: value, standard error, true value and percentage of error where known."""
        return Unknowns(self.result.unknowns)

    @overload
    def plot(self, path: None = None, *fields: str) -> Figure: ...
    @overload
    def plot(self, path: str | Path, *fields: str) -> Path: ...
    def plot(self, path: str | Path | None = None, *fields: str) -> Path | Figure:
        """A picture of the fields, with the reference and the error where known.

        Args:
            path: the file, whose suffix says which format; without one, the result is a Matplotlib figure.
            fields: which to show, by default all.
        """
        from qres.plots import field_figure, save  # only here: they take long to import

        figure = field_figure(*self._pictured(), fields or None)
        return figure if path is None else save(figure, Path(path))

    def _pictured(self) -> tuple[xr.Dataset, xr.Dataset | None]:
        truth = self.reference
        return (self.to_xarray() if truth is None else self.on_grid_of(truth)), truth

    @overload
    def plot_loss(self, path: None = None) -> Figure: ...
    @overload
    def plot_loss(self, path: str | Path) -> Path: ...
    def plot_loss(self, path: str | Path | None = None) -> Path | Figure:
        """The loss and its terms during training, as a file or, without a path, as a Matplotlib figure."""
        if not self.history:
            raise InputError("this solution has no history of its training")
        from qres.plots import loss_figure, save

        figure = loss_figure(self.history)
        return figure if path is None else save(figure, Path(path))

    def to_dataframe(self, grid: Grid = None, *names: str) -> pd.DataFrame:
        """Fields or formulas on a grid as a pandas table, a row for each point; arguments as of `to_xarray`."""
        return self.to_xarray(grid, *names).to_dataframe().reset_index()

    def predict(self, table: pd.DataFrame | Mapping[str, Any], *names: str) -> pd.DataFrame:
        """Fields or formulas at the points of a table, which has a column for each coordinate.

        The result has the coordinates, the fields and the index of the table: `df["u"] - solution.predict(df)["u"]`
        are the residuals of a fit.
        """
        points: dict[str, Any] = coordinates_of(table, self.problem.coordinates)
        wanted = names or default_names(self.problem)
        values = {labelled(name)[0]: self(name, **points) for name in wanted}
        return table_of({**points, **values}, table)

    def save(self, path: str | Path) -> Path:
        """One safetensors file that holds everything; `qres.load` reads it back."""
        return write_file(
            Path(path), Stored(self.problem, self.model, self.result, self.history, self.scheme, self.chain)
        )

    def _repr_html_(self) -> str:
        return solution_html(self.result, *self._pictured())

    def __repr__(self) -> str:
        errors = (
            ", ".join(f"{name}: {error:.2e}" for name, error in self.result.errors.items()) or "not known"
        )
        return f"Solution of {self.problem.name!r} (relative error {errors})"
