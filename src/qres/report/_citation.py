"""What to cite: for qres, and for the network, optimizers and features that a run used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files

from qres.networks import Architecture
from qres.solution import Solution

_ALWAYS = {"qres": "this software", "raissi2019physics": "physics-informed neural networks",
           "jax": "automatic differentiation and compilation", "kidger2021equinox": "network modules"}  # fmt: skip
_NETWORKS = {
    "qres": ("bu2021quadratic",), "qsc": ("bu2021quadratic",), "isc": ("bu2021quadratic",),
    "apinn": ("jagtap2020adaptive",), "qdn": ("fan2018new",),
}  # fmt: skip
_SELF_SCALED = ("urban2024unveiling", "kiyani2025optimizing")
_OPTIMIZERS = {
    "ssbroyden": _SELF_SCALED, "ssbfgs": _SELF_SCALED, "bfgs": ("nocedal2006numerical",),
    "adam": ("kingma2015adam",), "lbfgs": ("byrd1994representations",), "lbfgsb": ("byrd1994representations",),
    "levenberg-marquardt": ("nielsen1999damping",), "lm": ("nielsen1999damping",), "optax": ("optax",),
}  # fmt: skip


@dataclass(frozen=True)
class Citation:
    """A publication, the reason to cite it, and its BibTeX entry."""

    key: str
    reason: str
    bibtex: str

    def __str__(self) -> str:
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", self.bibtex, re.MULTILINE))
        where = fields.get("journal") or fields.get("booktitle") or fields.get("publisher") or ""
        if "eprint" in fields:
            where = f"arXiv {fields['eprint']}"
        link = f", doi {fields['doi']}" if "doi" in fields else ""
        authors = re.sub(r" and .* and ", " et al. and ", fields["author"]).split(" et al.")
        shown = f"{authors[0]} et al." if len(authors) > 1 else authors[0]
        said = ". ".join(part for part in (f"{shown} ({fields['year']})", fields["title"], where) if part)
        return f"{self.reason}: {re.sub(r'[{}]', '', _plain(said))}{link}"


class Citations(tuple[Citation, ...]):
    """Publications to cite; as text a line each, and `bibtex` for a bibliography."""

    @property
    def bibtex(self) -> str:
        """All entries, as a BibTeX file has them."""
        return "\n\n".join(entry.bibtex for entry in self) + "\n"

    def __str__(self) -> str:
        return "\n".join(f"- {entry}" for entry in self)

    __repr__ = __str__


def citation(solution: Solution | None = None) -> Citations:
    """What to cite for a solution: qres, and the network, optimizers and features that its run used.

    Args:
        solution: without one, what qres itself asks to be cited.
    """
    reasons = dict(_ALWAYS)
    for key, reason in () if solution is None else _used(solution):
        reasons.setdefault(key, reason)
    entries = _entries()
    return Citations(Citation(key, reason, entries[key]) for key, reason in reasons.items())


def _used(solution: Solution) -> Iterator[tuple[str, str]]:
    result, problem = solution.result, solution.problem
    for key in _NETWORKS.get(result.network, ()):
        yield key, f"the network, {result.network}"
    names = dict.fromkeys(record.optimizer for record in solution.history)
    for name in names or re.findall(r"[a-z-]+", result.optimizer):
        for key in _OPTIMIZERS.get(name, ("optax",) if name.startswith("optax") else ()):
            yield key, f"the optimizer, {name}"
    if solution.history:
        yield (
            "wu2023comprehensive",
            "residual-based resampling of collocation points, unless it was switched off",
        )
    if any(weight != 1 for weight in result.weights.values()):
        yield "wang2022when", "balanced weights of the loss"
    architecture = getattr(solution.model.network, "architecture", None)
    if isinstance(architecture, Architecture) and architecture.fourier_features:
        yield "tancik2020fourier", "Fourier features"
    if problem.periodic:
        yield "dong2021method", "exactly periodic inputs"
    if problem.hard and problem.transform:
        yield "gordon1971blending", "conditions built into the ansatz, by blending functions"
        if problem.region is not None:
            yield "rvachev2001transfinite", "conditions built in on curved boundaries"
    if result.bootstrap:
        yield "efron1979bootstrap", "the bootstrap"


def _entries() -> dict[str, str]:
    text = (files("qres.report") / "references.bib").read_text(encoding="utf-8")
    entries = {}
    for entry in re.split(r"\n\n(?=@)", text.strip()):
        head = re.match(r"@\w+\{(\w+),", entry)
        assert head is not None
        entries[head[1]] = entry
    entries["qres"] = entries["qres"].replace("year = ", f"version = {{{version('qres-pde')}}},\n  year = ")
    return entries


def _plain(text: str) -> str:
    """TeX accents as letters."""
    for accent, letter in {r"{\'a}": "á", r"{\'e}": "é", r"{\^o}": "ô"}.items():
        text = text.replace(accent, letter)
    return text
