"""The Problem: what is asked, checked as a whole when it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qres._errors import InputError, check_keys, listed, shorten

from ._condition import At, Condition
from ._data import Data, read_data
from ._expression import Background, walk
from ._fields import assemble
from ._formula import Equation, Formula, Stated
from ._own_reference import ReferenceFile, beside, check_reference
from ._reading import read_problem
from ._region import Region
from ._statement import statement
from ._unknown import Unknown, values_near_start
from ._validation import find_warnings

Bound = float | str
_KEYS = (
    "name", "equations", "domain", "conditions", "fields", "periodic", "constants", "unknowns", "definitions",
    "exact", "transform", "hard", "reference", "up_to_constant", "inside",
)  # fmt: skip
_EXAMPLES = {"equations": 'equations = ["u_t = u_xx"]', "domain": "domain = { t = [0, 1], x = [-1, 1] }"}


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Problem:
    """Equations for fields on a box, or on a part of one, with conditions; constants are known, unknowns are found.

    Formulas are text, `"u_t + u*u_x = nu*u_xx"`, or Python functions whose arguments name what they get:
    `def residual(u, nu): return u.t + u * u.x - nu * u.xx`.
    """

    name: str
    bounds: Mapping[str, tuple[float, float]]
    fields: tuple[str, ...]
    definitions: Mapping[str, Formula]
    equations: tuple[Equation, ...]
    conditions: tuple[Condition, ...]
    periodic: tuple[str, ...]
    region: Region | None
    constants: Mapping[str, float]
    unknowns: Mapping[str, Unknown]
    exact: Mapping[str, Formula]
    hard: bool
    transform: Mapping[str, Formula]
    soft_conditions: tuple[Condition, ...]
    soft_reasons: Mapping[str, str]
    reference: str | ReferenceFile | None
    up_to_constant: tuple[str, ...]
    data: tuple[Data, ...]
    warnings: tuple[str, ...]
    stated: Mapping[str, Any]

    def __init__(
        self,
        equations: Stated | Sequence[Stated],
        domain: Mapping[str, Sequence[Bound]],
        conditions: str | At | Sequence[str | At] = (),
        *,
        inside: str | Sequence[str] = (),
        fields: Sequence[str] | None = None,
        periodic: Sequence[str] = (),
        constants: Mapping[str, Bound] | None = None,
        unknowns: Mapping[str, Any] | None = None,
        definitions: Mapping[str, Stated] | None = None,
        exact: Mapping[str, Stated] | None = None,
        transform: Mapping[str, Stated] | None = None,
        hard: bool | None = None,
        name: str = "problem",
        reference: str | Path | Mapping[str, Any] | None = None,
        up_to_constant: Sequence[str] = (),
        data: Data | Sequence[Data] = (),
    ) -> None:
        """Checks all that can be checked without solving; what is doubtful but possible goes to `warnings`.

        Args:
            equations: what must vanish everywhere; `left = right`, or an expression that is zero.
            domain: the interval of each coordinate, 1 to 4 of them, in the order of a condition's arguments.
            conditions: `"u(0, x) = sin(pi*x)"`, `"u_x(t, 1) + 2*u(t, 1) = 1"`, `"u(x, y) = 0 on boundary"`,
                `"u_n(x, y) = 1 on x^2 + y^2 = 1"` with the slope along the outward normal, or a `Condition.at`.
            inside: the part of the box that is meant, `"x^2 + y^2 < 1"`; of several statements all hold.
            fields: the network's outputs; by default the names that have derivatives or stand in conditions.
            periodic: coordinates in which the fields are exactly periodic.
            constants: numbers, or expressions of those before.
            unknowns: numbers to find: a start, `Free`, `Positive` or `Between`.
            definitions: further fields made of others, such as a velocity `psi_y`.
            exact: the solution where it is known, by field or definition.
            transform: fields made of the raw network output of the same name, `"t*(1 - x^2)*u"`.
            hard: build such a transform from the conditions; by default only where there is one coordinate.
            name: what the problem is called.
            reference: the name of a reference solution, or a file that holds one, as `Data.read` reads it:
                `{"file": "mine.mat", "columns": {"u": "usol"}}`.
            up_to_constant: fields that the equations leave free by a constant at each time, such as a pressure of
                which only the gradient counts: they are compared with the mean over space taken off.
            data: measurements of some of the fields.
        """
        stated = {
            "name": name, "equations": equations, "domain": domain, "conditions": conditions,
            "fields": fields, "periodic": periodic, "constants": constants, "unknowns": unknowns,
            "definitions": definitions, "exact": exact, "transform": transform, "hard": hard,
            "reference": reference, "up_to_constant": up_to_constant, "inside": inside,
        }  # fmt: skip
        for key, value in {**read_problem(stated), "data": _all_data(data)}.items():
            object.__setattr__(self, key, value)
        names = (*self.fields, *self.definitions)
        object.__setattr__(self, "data", tuple(part for one in self.data for part in one.complete(names)))
        doubts = dict.fromkeys(doubt for one in self.data for doubt in one.check(self.bounds, names))
        if (region := self.region) is not None:
            doubts |= dict.fromkeys(
                doubt for one in self.data for doubt in one.outside(region, self.coordinates)
            )
        check_reference(self)
        object.__setattr__(self, "warnings", (*find_warnings(self), *doubts))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates, in the domain's order."""
        return tuple(self.bounds)

    @property
    def lower(self) -> tuple[float, ...]:
        """The lower bounds, in the domain's order."""
        return tuple(low for low, _ in self.bounds.values())

    @property
    def upper(self) -> tuple[float, ...]:
        """The upper bounds, in the domain's order."""
        return tuple(high for _, high in self.bounds.values())

    @property
    def start(self) -> dict[str, Any]:
        """The unknowns at their start, by name."""
        return values_near_start(self.unknowns)

    @property
    def notes(self) -> tuple[str, ...]:
        """What stays soft though `hard` was asked for, with the reason, a line each."""
        stays = [condition for condition in self.conditions if condition.name in self.soft_reasons]
        asked = stays if self.stated.get("hard") else []
        return tuple(
            f"{c.name} {shorten(c.text)!r} stays soft: it {self.soft_reasons[c.name]}" for c in asked
        )

    @property
    def is_text(self) -> bool:
        """Whether all formulas are text, so that the problem can be saved."""
        formulas = [*(e.formula for e in self.equations), *(c.formula for c in self.conditions)]
        formulas += [*self.definitions.values(), *self.exact.values(), *self.transform.values()]
        return all(formula.is_text for formula in formulas)

    @property
    def backgrounds(self) -> tuple[Background, ...]:
        """The known functions that the transform adds, whatever the network is."""
        parts = [part for formula in self.transform.values() for part in walk(formula.residual)]
        return tuple(part for part in parts if isinstance(part, Background))

    def fields_from(
        self, raw: Mapping[str, Any], coordinates: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Fields and definitions from the raw network outputs: first the transform, then the definitions.

        All values are jets, or recordings, or (without derivatives) arrays; `parameters` holds the unknowns, and may
        hold jets of the backgrounds by their text, which are then not computed.
        """
        return assemble(self.transform, self.definitions, {**self.constants, **parameters}, raw, coordinates)

    def defined(
        self, fields: Mapping[str, Any], coordinates: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Fields that are no raw outputs any more, with the definitions made of them."""
        return assemble({}, self.definitions, {**self.constants, **parameters}, fields, coordinates)

    def exact_fields(self, coordinates: Mapping[str, Any]) -> dict[str, Any]:
        """The exact solution at coordinates (arrays or jets); empty where none is stated."""
        true = {name: unknown.true for name, unknown in self.unknowns.items() if unknown.true is not None}
        return assemble(self.exact, {}, {**self.constants, **true}, {}, coordinates)

    @property
    def has_data(self) -> bool:
        """Whether there are measurements, so that the conditions need not pin the solution."""
        return bool(self.data)

    def with_data(self, data: Data | Sequence[Data]) -> Problem:
        """The same problem with other measurements."""
        stated = {key: value for key, value in self.stated.items() if value is not None}
        return Problem(**stated, data=data)

    def measured(self, seed: int, *, points: int | None = None, noise: float | None = None) -> Problem:
        """The same problem with its measurements drawn anew (`Data.drawn`); itself where there is nothing to draw."""
        names = (*self.fields, *self.definitions)
        drawn = [
            data.drawn(seed, place, names, points=points, noise=noise) for place, data in enumerate(self.data)
        ]
        same = all(new is old for new, old in zip(drawn, self.data, strict=True))
        return self if same else self.with_data(drawn)

    def to_dict(self) -> dict[str, Any]:
        """The problem as plain tables and text, as in a file's `[problem]`, without its data."""
        if not self.is_text:
            raise InputError(
                f"problem {self.name!r} has Python functions in it, which cannot be saved as text"
            )
        return dict(self.stated)

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any], folder: Path = Path()) -> Problem:
        """A problem from a file's `[problem]`; the files of its data and reference are relative to the folder."""
        tables = check_keys(tables, (*_KEYS, "data"), "[problem]")
        for key, example in _EXAMPLES.items():
            if key not in tables:
                raise InputError(f"[problem] has no {key}; an example is {example}")
        stated = {**tables, "reference": beside(tables.get("reference"), folder)}
        problem = cls(**{key: value for key, value in stated.items() if key != "data"})
        return problem.with_data(read_data(tables["data"], folder, problem)) if "data" in tables else problem

    def mathml(self) -> str:
        """Equations, definitions, domain and conditions as one presentation MathML table."""
        return statement(self)

    def __repr__(self) -> str:
        return f"Problem({self.name!r}, {listed(self.fields)} of {listed(self.coordinates)})"


def _all_data(data: Data | Sequence[Data]) -> tuple[Data, ...]:
    found = (data,) if isinstance(data, Data | Mapping) else tuple(data)
    for one in found:
        if not isinstance(one, Data):
            raise InputError(f"data must be qres.Data, not {type(one).__name__}")
    return found
