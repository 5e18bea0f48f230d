"""A problem from a file, combined with the user's for the functions that the file does not hold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qres.ansatz import ansatz_from
from qres.runtime.errors import InputError, listed

from ._data_tables import read_data
from ._fingerprint import difference
from ._problem import Problem
from ._reading import STEP, Saved
from ._written import names_of_functions

_OTHER = "the problem that was given is not the one that was saved"
_SAME = ("domain", "fields", "periodic", "unknowns")  # what no formula's value shows


class Mismatch(InputError):
    """What the user gave is not what was saved, or is missing."""


def given_problem(
    stated: Mapping[str, Any],
    given: Problem | None,
    fingerprint: Mapping[str, Any] | None,
    where: str,
    *,
    folder: Path = Path(),
    saved: Saved | None = None,
) -> Problem | None:
    """The user's problem, once it is seen to be that of a file; None where the file holds its problem whole.

    Args:
        stated: the problem as the file has it (`Problem.to_dict`).
        given: the user's.
        fingerprint: of the problem that was saved (`Problem.fingerprint`).
        where: how to call what is being done with `problem=…`, for a message.
        folder: which the files of data are relative to.
        saved: the ansatz that was saved.
    """
    names = names_of_functions(stated)
    if not names:
        return None
    if given is None:
        raise Mismatch(
            f"the problem has Python functions, {listed(names)}, whose code a file does not hold: write {where}"
        )
    _check(given)
    theirs = given.to_dict(functions=True)
    for key in _SAME:
        if _plain(theirs.get(key)) != _plain(stated.get(key)):
            raise Mismatch(f"{_OTHER}: {key} differs")
    _compare(fingerprint or {}, given)
    problem = given if saved is None else _with_ansatz(given, saved)
    return problem.with_data(read_data(stated["data"], folder, problem)) if "data" in stated else problem


def check_given(problem: Problem, given: Problem | None) -> None:
    """Whether the user's problem, where there is one, is the one that a file holds whole."""
    if given is not None:
        _check(given)
        _compare(problem.fingerprint(), given)


def _check(given: Any) -> None:
    if not isinstance(given, Problem):
        raise Mismatch(f"problem must be a qres.Problem, not {type(given).__name__}")


def _compare(stored: Mapping[str, Any], given: Problem) -> None:
    if wrong := difference(stored, given.fingerprint()):
        raise Mismatch(f"{_OTHER}: {wrong} has other values")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def _with_ansatz(problem: Problem, saved: Saved) -> Problem:
    """With the ansatz as it was saved, not as it would be derived today; one that was stated is the user's own."""
    if problem.stated.get("transform"):
        return problem
    state, arrays = saved
    own = {key: value for key, value in state.items() if key != STEP}
    return problem.with_ansatz(ansatz_from(own, arrays, problem), state.get(STEP))
