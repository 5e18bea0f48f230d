"""The fingerprint of a problem: values of its formulas at fixed points, to recognize functions that no file holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from qres.formulas import Formula, Location
from qres.geometry import points_of_box
from qres.jets import Jet, Recording, Truncation
from qres.posed import Condition, Posed, arbitrary, assemble, values_near_start
from qres.posed.evaluator import Term, condition_residual, term_residual

Fingerprint = dict[str, list[float]]
Names = Mapping[str, Any]
_POINTS = 6
_TOLERANCE = 1e-9


def fingerprint(posed: Posed, transform: Mapping[str, Formula]) -> Fingerprint:
    """The values of each formula, by what it is; not a number where it has none."""
    everywhere: Location = (None,) * len(posed.bounds)

    def everywhere_of(formula: Formula) -> list[float]:
        return _values(posed, (everywhere,), lambda names_at: formula(names_at[0]))

    def condition_of(condition: Condition) -> list[float]:
        return _values(posed, condition.locations, condition_residual(posed, condition).value)

    found = {equation.name: everywhere_of(equation.formula) for equation in posed.equations}
    found |= {condition.name: condition_of(condition) for condition in posed.conditions}
    formulas = {"definition of": posed.definitions, "exact": posed.exact, "transform of": transform}
    for kind, table in formulas.items():
        found |= {f"{kind} {name}": everywhere_of(formula) for name, formula in table.items()}
    if posed.region is not None:
        found["inside"] = posed.region.level(points_of_box(posed.bounds, _POINTS)).tolist()
    return found


def term_fingerprints(posed: Posed, terms: Mapping[str, Term]) -> Fingerprint:
    """The values of loss terms of the user's own, by name."""
    everywhere: Location = (None,) * len(posed.bounds)
    residuals = {name: term_residual(posed, name, term) for name, term in terms.items()}
    return {name: _values(posed, (everywhere,), residual.value) for name, residual in residuals.items()}


def difference(stored: Mapping[str, Any], found: Fingerprint) -> str | None:
    """The first formula whose values are others, or that only one of the two has."""
    for name in dict.fromkeys((*stored, *found)):
        if name not in stored or name not in found or not same_values(stored[name], found[name]):
            return name
    return None


def same_values(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether values are the same up to what machines differ by."""
    one, other = np.array(a, dtype=float), np.array(b, dtype=float)
    if one.shape != other.shape:
        return False
    size = np.max(np.abs(one), initial=0.0, where=np.isfinite(one))
    return bool(np.allclose(one, other, rtol=_TOLERANCE, atol=_TOLERANCE * size, equal_nan=True))


def _values(
    posed: Posed, locations: Sequence[Location], run: Callable[[Sequence[Names]], Any]
) -> list[float]:
    """A formula's values at fixed points, for fields that are arbitrary but always the same."""
    try:
        with np.errstate(all="ignore"):
            noted = {name: Recording.field(posed.coordinates) for name in posed.coordinates}
            result = run([_names(posed, noted)] * len(locations))
            needs = result.needs if isinstance(result, Recording) else ()
            truncation = Truncation.closure(posed.coordinates, needs)
            found = run([_names(posed, _placed(posed, truncation, where)) for where in locations])
            value = np.asarray(found.value if isinstance(found, Jet) else found, dtype=float)
    except Exception:  # a function that takes arrays only, say: it is not compared
        return [math.nan] * _POINTS
    return np.broadcast_to(value, (_POINTS,)).tolist()


def _placed(posed: Posed, truncation: Truncation, location: Location) -> dict[str, Jet]:
    points = points_of_box(posed.bounds, _POINTS)
    return {
        name: Jet.coordinate(truncation, name, row if value is None else np.full(_POINTS, value))
        for name, row, value in zip(posed.bounds, points, location, strict=True)
    }


def _names(posed: Posed, coordinates: Names) -> Names:
    parameters = {**posed.constants, **values_near_start(posed.unknowns, 0.1)}
    raw = arbitrary(posed.fields, posed.bounds, 0)(coordinates)
    return {
        **parameters,
        **coordinates,
        **assemble({}, posed.definitions, parameters, raw, coordinates),
    }
