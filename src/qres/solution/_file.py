"""Solution files: safetensors with all else as JSON in the header. Reading one runs no code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import numpy as np

from qres.fields import Chain, Model, Scheme, path_text
from qres.networks import FIRST_ARCHITECTURE, Architecture, Network, initialized
from qres.problems import Mismatch, Problem, ansatz_state, check_given, given_problem, reference_names
from qres.results import Record, Result, dumps, loads
from qres.runtime.errors import InputError
from qres.runtime.files import replace_file
from qres.runtime.random import seed_key
from qres.runtime.sealed import DIGEST, Damaged, check_seal, metadata_in, sealed, tensors_in

from ._module import check_like, check_outputs, filled, named_leaves, outputs_of, type_of

FORMAT = "2"
_READABLE = ("1", FORMAT)  # files of format 1 do not hold their ansatz, which is derived again
_ANSATZ = "ansatz."  # before the names of its arrays
_MODULE = "module"  # what a network is that is not of qres, in place of its architecture
_LARGEST_HEADER = 20_000_000
# What a file of a version without digests may hold; any other name there is a damaged one.
_UNSEALED = {"format", "qres", "problem", "architecture", "scales", "summary", "history", "time"}


@dataclass(frozen=True)
class Stored:
    """What a file holds."""

    problem: Problem
    model: Model
    result: Result
    history: list[Record]
    scheme: Scheme | None
    chain: Chain | None = None


def write_file(path: Path, stored: Stored) -> Path:
    """Write a file; of functions that cannot be traced and of networks that are not of qres, without their code."""
    tensors = named_leaves(stored.model)
    ansatz, arrays = ansatz_state(stored.problem, discrete=stored.scheme is not None)
    tensors |= {_ANSATZ + name: array for name, array in arrays.items()}
    network = stored.model.network
    if isinstance(network, Network):
        tensors["frequencies"] = np.array(network.embedding.frequencies, dtype=float)
    header = {
        "format": FORMAT,
        "qres": version("qres-pde"),
        "problem": stored.problem.to_dict(functions=True),
        "ansatz": ansatz,
        "scales": [list(pair) for pair in stored.model.scales],
        "units": list(stored.model.units),
        "summary": stored.result.to_dict(),
        "history": [record.to_dict() for record in stored.history],
    } | ({} if stored.scheme is None else {"time": stored.scheme.to_dict()})
    if stored.chain is not None:
        header["windows"] = stored.chain.to_dict()
    if isinstance(network, Network):
        header["architecture"] = network.architecture.to_dict()
    else:
        outputs = outputs_of(stored.problem, stored.scheme, stored.model)
        header |= {_MODULE: type_of(network), "outputs": outputs}
    if not stored.problem.is_text:
        header["fingerprint"] = stored.problem.fingerprint()
    metadata = {name: dumps(value) for name, value in header.items()}
    return replace_file(path, sealed(tensors, metadata))


def read_file(path: Path, problem: Problem | None = None, network: Any = None) -> Stored:
    """Read a file, with the problem and a network like the one saved, where it does not hold them.

    Whatever is wrong with it is one clear error.
    """
    header, tensors = _read(path)
    try:
        found = _problem(path, header, _saved_ansatz(header, tensors), problem)
        scheme = Scheme.from_dict(header["time"]) if "time" in header else None
        chain = Chain.from_dict(header["windows"]) if "windows" in header else None
        scales = [(float(a), float(b)) for a, b in header["scales"]]
        units = [float(unit) for unit in header.get("units", [])]
        if _MODULE in header:
            network = initialized(network, seed_key(0))
            check_like(network, header[_MODULE], f"qres.load({str(path)!r}, network=…)")
            model = filled(Model.create(found, network, scales, units), tensors)
            check_outputs(header["outputs"], found, scheme, model)
        else:
            if network is not None:
                raise Mismatch("the file holds its network: leave network= out")
            first = FIRST_ARCHITECTURE if header["format"] == "1" else {}
            architecture = Architecture.from_dict({**first, **header["architecture"]})
            model = _model(found, scheme, architecture, tensors, scales, units, chain)
        history = [Record.from_dict(record) for record in header["history"]]
        return Stored(found, model, Result.from_dict(header["summary"]), history, scheme, chain)
    except Mismatch as error:
        raise InputError(f"{path}: {error}") from None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(f"{path}: not a solution of qres that can be read: {_line(error)}") from None


Saved = tuple[Mapping[str, Any], dict[str, np.ndarray]]


def _saved_ansatz(header: Mapping[str, Any], tensors: dict[str, np.ndarray]) -> Saved | None:
    """The ansatz of a file, whose arrays are taken out of the others; None where the file has none."""
    names = [name for name in tensors if name.startswith(_ANSATZ)]
    arrays = {name.removeprefix(_ANSATZ): tensors.pop(name) for name in names}
    return (header["ansatz"], arrays) if "ansatz" in header else None


def _problem(path: Path, header: Mapping[str, Any], saved: Saved | None, given: Problem | None) -> Problem:
    """The problem. A reference that is a file is not opened before somebody asks for it, and data are not in a file."""
    stated = header["problem"]
    if not isinstance(stated, Mapping):
        return Problem.from_dict(stated)
    where = f"qres.load({str(path)!r}, problem=…)"
    theirs = given_problem(stated, given, header.get("fingerprint"), where, saved=saved)
    if theirs is not None:
        return theirs
    tables = {key: value for key, value in stated.items() if key not in ("reference", "data")}
    reference = stated.get("reference")
    if isinstance(reference, str) and reference in reference_names():
        return Problem.from_dict({**tables, "reference": reference}, saved=saved)
    problem = Problem.from_dict(tables, saved=saved)
    check_given(problem, given)
    return problem if reference is None else problem.with_unread_reference(reference)


def _line(error: Exception) -> str:
    text = str(error).splitlines()
    return (text[0] if text else type(error).__name__)[:300]


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > _LARGEST_HEADER:
                raise InputError(f"{path}: not a solution of qres: a header of {length} bytes")
            file.seek(0)
            content = file.read()
        metadata = metadata_in(content)
        if "format" not in metadata or not {"architecture", _MODULE} & set(metadata):
            raise InputError(f"{path}: a safetensors file, but not a solution of qres")
        if DIGEST in metadata or not set(metadata) <= _UNSEALED:
            check_seal(content, metadata)
        tensors = tensors_in(content)
    except (Damaged, OSError, MemoryError) as error:
        raise InputError(f"{path}: not a solution of qres, or damaged: {_line(error)}") from None
    metadata.pop(DIGEST, None)
    try:
        header = {name: loads(text) for name, text in metadata.items()}
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: the header is damaged: {_line(error)}") from None
    if header["format"] not in _READABLE:
        known = " and ".join(_READABLE)
        raise InputError(f"{path}: format {header['format']!r} is not one that this version reads ({known})")
    return header, tensors


def _model(
    problem: Problem,
    scheme: Scheme | None,
    architecture: Architecture,
    tensors: dict[str, np.ndarray],
    scales: list[tuple[float, float]],
    units: list[float],
    chain: Chain | None = None,
) -> Model:
    """The model with the file's arrays; sizes are compared before anything of that size is made."""
    frequencies = tensors.pop("frequencies", np.zeros((0, 0)))
    if frequencies.shape[0] != architecture.fourier_features:
        raise InputError(
            f"{frequencies.shape[0]} frequencies, but {architecture.fourier_features} in the architecture"
        )
    stored = sum(array.size for array in tensors.values())
    depth = architecture.depth if architecture.hidden is None else len(architecture.hidden)
    width = max(architecture.hidden or (architecture.width,))
    if width * depth > stored or architecture.harmonics > stored:
        raise InputError(f"{depth} layers of width {width} do not fit {stored} stored numbers")
    rows = tuple(tuple(float(v) for v in row) for row in frequencies)

    domain = problem if scheme is None else scheme.domain(problem)
    if len(domain.fields) > stored:
        raise InputError(f"{len(domain.fields)} outputs do not fit {stored} stored numbers")
    network = architecture.build(domain, key=seed_key(0), frequencies=rows)
    skeleton = Model.create(problem, network, scales, units)
    leaves, structure = jax.tree_util.tree_flatten_with_path(skeleton)
    filled = []
    for place, leaf in leaves:
        name = path_text(place)
        if not eqx.is_array(leaf):
            filled.append(leaf)
            continue
        shape = (chain.count, *leaf.shape) if chain is not None and name in chain.own else leaf.shape
        if name not in tensors or tensors[name].shape != shape:
            found = tensors[name].shape if name in tensors else "nothing"
            raise InputError(f"{name} should have shape {shape}, and the file has {found}")
        if not np.issubdtype(tensors[name].dtype, np.floating):
            raise InputError(f"{name} should hold numbers, not {tensors[name].dtype}")
        filled.append(jax.numpy.asarray(tensors[name], dtype=float))
    return jax.tree_util.tree_unflatten(structure, filled)
