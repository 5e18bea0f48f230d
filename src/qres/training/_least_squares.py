"""The attempt at a problem by least squares on random features, before or in place of training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from qres.fields import known_solution
from qres.least_squares import FeatureSolver, Found, Trial
from qres.loss import Objective
from qres.networks import count_parameters
from qres.posed.evaluator import Residuals, Term
from qres.results import Record, Result, Stop, Stopped, UnknownEstimate
from qres.runs import RunFolder, Specification, versions
from qres.runtime.clock import Clock, Interruption
from qres.runtime.errors import InputError
from qres.solution import Solution

from ._progress import ProgressBar
from .loop import Callback, RunView, call

NAME = "least-squares"
_TRAINING = ("architecture", "stages", "iterations", "pace", "tolerance", "starts", "snapshots", "weights")
_ACCEPTED = 1e-5  # the residual, as a share of its terms, from which on training is not asked to do better
_SHARE = 0.5  # of the time limit may be taken by an attempt that training may follow
_NONLINEAR_ACCEPTED, _NONLINEAR_SHARE = (
    1e-8,
    0.25,
)  # the same of nonlinear problems, where it is less sure to pay


def refusal(specification: Specification) -> str | None:
    """Why a problem cannot be solved by least squares on features; None where it can be tried."""
    problem = specification.problem
    if specification.time is not None:
        return "time is discrete"
    if jax.process_count() > 1:
        return "there are several processes"
    if not problem.equations:
        return "there are no equations"
    if Residuals.of(problem, conditions=problem.soft_conditions).integrals:
        return "there are integrals in it"
    return None


def with_method(specification: Specification, method: str | None, *, explicit: bool) -> Specification:
    """The specification with a method: the one asked for, or training where the call says how to train.

    Args:
        specification: of the run.
        method: as asked for; None where nothing was.
        explicit: whether the call says how to train.
    """
    if method is None and specification.method == "auto" and (explicit or _says_how_to_train(specification)):
        method = "train"
    found = specification if method is None else replace(specification, method=method)
    if found.method == NAME and (reason := refusal(found)) is not None:
        raise InputError(f"method = {NAME!r}: {reason}; choose 'auto' or 'train'")
    return found


def _says_how_to_train(specification: Specification) -> bool:
    """Whether a specification differs from the default in what only training has."""
    usual = Specification(specification.problem)
    return any(getattr(specification, name) != getattr(usual, name) for name in _TRAINING)


def attempted(
    specification: Specification,
    bar: ProgressBar,
    folder: RunFolder | None,
    callbacks: Sequence[Callback],
    terms: Mapping[str, Term],
) -> Solution | None:
    """The solution by least squares on random features; None where the network is to be trained."""
    problem = specification.problem
    if specification.method == "train" or (
        specification.method == "auto" and (problem.data or problem.unknowns)
    ):
        return None
    if refusal(specification) is not None:
        return None
    return Attempt(specification, bar, folder, callbacks, terms).solution()


class Attempt:
    """A problem solved by least squares on random features, where that is good enough.

    Args:
        specification: of the run; with the method "auto" training may follow.
        bar: is told of progress.
        folder: of the run, where there is one.
        callbacks: are called with the record of the result.
        terms: of the user's own.
    """

    def __init__(
        self,
        specification: Specification,
        bar: ProgressBar,
        folder: RunFolder | None,
        callbacks: Sequence[Callback],
        terms: Mapping[str, Term],
    ) -> None:
        self.specification, self.bar, self.folder = specification, bar, folder
        self.callbacks, self.terms = callbacks, terms
        self.clock = Clock()
        self._interruption = Interruption()
        self._is_affine = True

    @property
    def _accepted(self) -> float:
        return _ACCEPTED if self._is_affine else _NONLINEAR_ACCEPTED

    @property
    def must_hold(self) -> bool:
        """Whether training follows where the result is not good enough."""
        return self.specification.method == "auto"

    def solution(self) -> Solution | None:
        """What was found; None where training is to follow."""
        specification, problem = self.specification, self.specification.problem
        with self._interruption:
            solver = FeatureSolver(
                problem, seed=specification.seed, terms=self.terms, is_over=self._is_over, tell=self._tell
            )
            self._is_affine = solver.affine
            if self.must_hold and not solver.affine and specification.time_limit is None:
                return None  # how long Newton's method takes is not known beforehand
            self.bar.begin("least squares on random features")
            found = solver.solve()
        interrupted = self._interruption.wished
        if found is None and interrupted:
            raise KeyboardInterrupt
        if found is None or (self.must_hold and not interrupted and not found.residual <= self._accepted):
            left = (
                "nothing finite is found" if found is None else f"residuals of {found.residual:.0e} are left"
            )
            self.bar.log(f"least squares on random features: {left}; the network is trained")
            return None
        self.bar.log(
            f"{'linear' if solver.affine else 'nonlinear'}: least squares on {found.count} random features "
            f"({found.features}) leaves residuals of {found.residual:.0e}, as shares of their terms"
        )
        return self._solution(found, self._stopped(found, interrupted))

    def _is_over(self, seconds: float) -> bool:
        limit = self.specification.time_limit
        if self._interruption.wished:
            return True
        share = (_SHARE if self._is_affine else _NONLINEAR_SHARE) if self.must_hold else 1.0
        return limit is not None and self.clock.seconds + seconds > share * limit

    def _tell(self, trial: Trial) -> None:
        self.bar.begin(f"{trial.count} features ({trial.features}): residual {trial.residual:.1e}")

    def _stopped(self, found: Found, interrupted: bool) -> Stopped:
        left = f"least squares on {found.count} features leaves residuals of {found.residual:.0e}"
        if interrupted:
            return Stopped(Stop.INTERRUPTED, f"interrupted: {left}; qres resume begins again")
        if found.residual <= _ACCEPTED:
            return Stopped(Stop.CONVERGED, f"converged: {left} of their terms")
        limit = self.specification.time_limit
        if limit is not None and self._is_over(0.1 * limit):
            return Stopped(Stop.TIME_LIMIT, f"time limit: {left} of their terms")
        return Stopped(
            Stop.BUDGET, f"budget: {left} of their terms, and more features gain little or do not fit"
        )

    def _solution(self, found: Found, stopped: Stopped) -> Solution:
        specification, problem, model = self.specification, self.specification.problem, found.model
        objective = Objective(problem, model, specification.sampling, specification.weights, terms=self.terms)
        terms = {
            name: objective.weights[name] * found.squares[name] / objective.sizes[name] ** 2
            for name in objective.names
        }
        solution = Solution(problem, model, scheme=None, training_points=dict(found.points))
        truth = known_solution(problem, None)
        unknowns = {name: np.asarray(value).tolist() for name, value in model.parameters(problem).items()}
        seconds, cpu_seconds = self.clock.seconds, self.clock.cpu_seconds
        record = Record(
            total=found.solves,
            iteration=found.solves,
            optimizer=NAME,
            seconds=round(seconds, 3),
            cpu_seconds=round(cpu_seconds, 3),
            loss=float(sum(terms.values())),
            terms=terms,
            errors=solution.errors_against(truth) if truth is not None else {},
            unknowns=unknowns,
        )
        self.bar.show(record, 1.0, None)
        solution.history = [record]
        solution.result = self._result(record, model, objective.weights, stopped)
        asked = call(self.callbacks, RunView(record, lambda: solution))
        if asked is not None:
            solution.result = replace(solution.result, stopped=asked)
        if self.folder is not None and self.folder.writes:
            self.folder.rewrite_history([record])
        return solution

    def _result(self, record: Record, model: Any, weights: Mapping[str, float], stopped: Stopped) -> Result:
        problem = self.specification.problem
        return Result(
            problem=problem.name,
            network=model.network.architecture.kind,
            widths=model.network.widths,
            parameters=count_parameters(model.network),
            seed=self.specification.seed,
            optimizer=NAME,
            iterations=record.total,
            seconds=round(record.seconds, 2),
            cpu_seconds=round(record.cpu_seconds, 2),
            stopped=stopped,
            loss=record.loss,
            weights=dict(weights),
            errors=record.errors,
            unknowns={
                name: UnknownEstimate.compared(value, None, problem.unknowns[name].true)
                for name, value in record.unknowns.items()
            },
            run=None if self.folder is None else str(self.folder.path),
            versions=versions(),
        )
