"""The Problem: a posed problem with its ansatz, references and data, validated when it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from qres.ansatz import Ansatz
from qres.data import Data, Given, as_data
from qres.formulas import Background, Formula, Stated, walk
from qres.posed import At, Condition, Posed
from qres.runtime.errors import InputError, check_keys, listed, shorten
from qres.runtime.jax_config import configure

from ._data_tables import read_data
from ._fingerprint import Fingerprint, fingerprint
from ._own_reference import ReferenceFile, check_reference, read_reference, resolve_reference
from ._reading import Saved, read_problem
from ._statement import statement
from ._validation import find_warnings
from ._written import functions_in, with_names

Bound = float | str
_KEYS = (
    "name", "equations", "domain", "conditions", "fields", "periodic", "constants", "unknowns", "definitions",
    "exact", "transform", "hard", "reference", "up_to_constant", "inside",
    "complex", "shapes", "states",
)  # fmt: skip
_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(_KEYS), "name": "problem", "conditions": (), "periodic": (), "up_to_constant": (), "inside": (),
    "complex": (),
}  # fmt: skip
_EXAMPLES = {"equations": 'equations = ["u_t = u_xx"]', "domain": "domain = { t = [0, 1], x = [-1, 1] }"}


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Problem(Posed):
    """Equations for fields on a box, or on a part of one, with conditions; constants are known, unknowns are found.

    Formulas are text, `"u_t + u*u_x = nu*u_xx"`, or Python functions whose arguments name what they get:
    `def residual(u, nu): return u.t + u * u.x - nu * u.xx`.
    """

    ansatz: Ansatz
    step_ansatz: Mapping[str, Any] | None
    reference: str | ReferenceFile | None
    data: tuple[Data, ...]
    warnings: tuple[str, ...]
    stated: Mapping[str, Any]

    def __init__(
        self,
        equations: Stated | Sequence[Stated],
        domain: Mapping[str, Sequence[Bound]],
        conditions: str | At | Sequence[str | At] = (),
        *,
        inside: Stated | Sequence[Stated] = (),
        shapes: Mapping[str, Any] | None = None,
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
        complex: Sequence[str] = (),
        states: int | None = None,
        data: Given = (),
    ) -> None:
        """Checks all that can be checked without solving; what is doubtful but possible goes to `warnings`.

        Args:
            equations: what must vanish everywhere; `left = right`, or an expression that is zero.
            domain: the interval of each coordinate, 1 to 4 of them, in the order of a condition's arguments.
            conditions: `"u(0, x) = sin(pi*x)"`, `"u_x(t, 1) + 2*u(t, 1) = 1"`, `"u(x, y) = 0 on boundary"`,
                `"u_n(x, y) = 1 on x^2 + y^2 = 1"` with the slope along the outward normal, or a `Condition.at`.
            inside: the part of the box that is meant, `"x^2 + y^2 < 1"`, or a level function of the coordinates that is
                positive inside; of several statements all hold.
            shapes: parts of space by name, `{"hole": "disk(0, 0, 0.2)"}`, for `inside` and for conditions on them.
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
            states: of an eigenvalue problem of one coordinate, how many to find: fields `psi_1`, `psi_2`, … and the
                numbers `E[0]`, `E[1]`, … of its one unknown, from the end of the spectrum.
            complex: fields and definitions with complex values, `["h"]`; then `i` is the imaginary unit, and formulas
                may take `conj`, `real`, `imag`, `abs` and `arg`. The network gives `h_re` and `h_im`.
            data: measurements of some of the fields: `Data`, a `pandas.DataFrame`, an `xarray.Dataset`, arrays by name,
                the name of a file, or a list of such.
        """
        stated = {
            "name": name, "equations": equations, "domain": domain, "conditions": conditions,
            "fields": fields, "periodic": periodic, "constants": constants, "unknowns": unknowns,
            "definitions": definitions, "exact": exact, "transform": transform, "hard": hard,
            "reference": reference, "up_to_constant": up_to_constant, "inside": inside,
            "complex": complex, "shapes": shapes, "states": states,
        }  # fmt: skip
        self._read(stated, data)

    def _read(self, stated: Mapping[str, Any], data: Given, saved: Saved | None = None) -> None:
        configure()  # formulas are tried, some of them in JAX
        read = read_problem(stated, saved)
        self._set(
            **vars(read.posed),
            ansatz=read.ansatz,
            step_ansatz=read.step_ansatz,
            reference=read.reference,
            stated=read.stated,
        )
        self._attach(data)
        check_reference(self.reference, self)

    def _set(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def _attach(self, data: Given) -> None:
        """Take measurements, checked against the problem, and say what is doubtful of both."""
        names = (*self.fields, *self.definitions)
        complete = tuple(part for one in as_data(data) for part in one.complete(names))
        doubts = dict.fromkeys(doubt for one in complete for doubt in one.check(self.bounds, names))
        if (region := self.region) is not None:
            doubts |= dict.fromkeys(
                doubt for one in complete for doubt in one.outside(region, self.coordinates)
            )
        self._set(data=complete, warnings=(*find_warnings(self, has_data=bool(complete)), *doubts))

    @property
    def hard(self) -> bool:
        """Whether conditions are built into the fields."""
        return self.ansatz.automatic

    @property
    def transform(self) -> Mapping[str, Formula]:
        """The ansatz: fields made of the raw network output of the same name."""
        return self.ansatz.transform

    @property
    def soft_conditions(self) -> tuple[Condition, ...]:
        """The conditions that the ansatz does not satisfy: those to train on."""
        return tuple(c for c in self.conditions if c.name not in self.ansatz.satisfies)

    @property
    def soft_reasons(self) -> Mapping[str, str]:
        """Why conditions are not built in, by name."""
        return self.ansatz.reasons

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
        """Whether all formulas are text, or functions that could be traced, so that the problem can be saved whole."""
        return not functions_in(self.stated)

    @property
    def backgrounds(self) -> tuple[Background, ...]:
        """The known functions that the transform adds, whatever the network is."""
        parts = [part for formula in self.transform.values() for part in walk(formula.residual)]
        return tuple(part for part in parts if isinstance(part, Background))

    @property
    def has_data(self) -> bool:
        """Whether there are measurements, so that the conditions need not pin the solution."""
        return bool(self.data)

    def with_data(self, data: Given) -> Problem:
        """The same problem with other measurements; nothing is read again."""
        other = object.__new__(Problem)
        other._set(**vars(self))
        other._attach(data)
        return other

    def with_ansatz(self, ansatz: Ansatz, step: Mapping[str, Any] | None) -> Problem:
        """The same problem with another ansatz, and that of a step in discrete time."""
        other = object.__new__(Problem)
        other._set(**{**vars(self), "ansatz": ansatz, "step_ansatz": step})
        return other

    def with_unread_reference(self, stated: Any) -> Problem:
        """The same problem with a file as its reference, which is not opened, nor looked for, before it is needed."""
        found = read_reference(stated)
        assert isinstance(found, ReferenceFile)
        other = object.__new__(Problem)
        other._set(
            **{**vars(self), "reference": found, "stated": {**self.stated, "reference": found.to_dict()}}
        )
        return other

    def measured(self, seed: int, *, points: int | None = None, noise: float | None = None) -> Problem:
        """The problem with its measurements sampled (`Data.drawn`); itself where there is nothing to sample."""
        names = (*self.fields, *self.definitions)
        drawn = [
            data.drawn(seed, place, names, points=points, noise=noise) for place, data in enumerate(self.data)
        ]
        same = all(new is old for new, old in zip(drawn, self.data, strict=True))
        return self if same else self.with_data(drawn)

    def to_dict(self, *, functions: bool = False) -> dict[str, Any]:
        """The problem as plain tables and text, as in a file's `[problem]`, without its data.

        Functions that could not be traced are an error, or with `functions` are named where they stand.
        """
        if self.is_text:
            return dict(self.stated)
        if not functions:
            raise InputError(
                f"problem {self.name!r} has Python functions in it that cannot be written as text"
            )
        return with_names(self.stated, self)

    def fingerprint(self) -> Fingerprint:
        """The values of all formulas at fixed points, by which a file knows the functions that it does not hold."""
        return fingerprint(self, {} if self.ansatz.automatic else self.transform)

    @classmethod
    def from_dict(
        cls, tables: Mapping[str, Any], folder: Path = Path(), saved: Saved | None = None
    ) -> Problem:
        """A problem from a file's `[problem]`.

        Args:
            tables: what is stated.
            folder: the files of its data and reference are relative to it.
            saved: the ansatz that was chosen when the problem was saved (`Ansatz.to_state`), which is then not
                derived again.
        """
        tables = check_keys(tables, (*_KEYS, "data"), "[problem]")
        for key, example in _EXAMPLES.items():
            if key not in tables:
                raise InputError(f"[problem] has no {key}; an example is {example}")
        stated = {**_DEFAULTS, **tables, "reference": resolve_reference(tables.get("reference"), folder)}
        problem = object.__new__(cls)
        problem._read({key: value for key, value in stated.items() if key != "data"}, (), saved)
        return problem.with_data(read_data(tables["data"], folder, problem)) if "data" in tables else problem

    def mathml(self) -> str:
        """Equations, definitions, domain and conditions as one presentation MathML table."""
        return statement(self)

    def _repr_html_(self) -> str:
        lines = [*self.notes, *(f"Warning: {warning}" for warning in self.warnings), *map(repr, self.data)]
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in lines)
        return f"<p><b>{escape(self.name)}</b></p>{self.mathml()}{paragraphs}"

    def __repr__(self) -> str:
        return f"Problem({self.name!r}, {listed(self.fields)} of {listed(self.coordinates)})"
