"""A solution as one file: safetensors with everything else as JSON in its header. Reading it runs no code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from qres._files import replace_file
from qres._random import seed_key
from qres.networks import Architecture, Network
from qres.objectives import Model, Scheme
from qres.problems import InputError, Problem

if TYPE_CHECKING:
    from ._solution import Solution

FORMAT = "1"
_LARGEST_HEADER = 20_000_000


def named_leaves(tree: Any) -> dict[str, np.ndarray]:
    """All arrays of a tree, by their path in it."""
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(tree, eqx.is_array))
    return {jax.tree_util.keystr(path).lstrip("."): np.asarray(leaf) for path, leaf in leaves}


def save_solution(solution: Solution, path: Path) -> Path:
    """Save; a problem or network that is Python code, not data, cannot be."""
    network = solution.model.network
    if not isinstance(network, Network):
        raise InputError(
            f"a network of type {type(network).__name__} cannot be saved: only those of qres can"
        )
    tensors = named_leaves(solution.model)
    tensors["frequencies"] = np.array(network.embedding.frequencies, dtype=float)
    header = {
        "format": FORMAT,
        "qres": version("qres-pde"),
        "problem": solution.problem.to_dict(),
        "architecture": network.architecture.to_dict(),
        "scales": [list(pair) for pair in solution.model.scales],
        "summary": solution.summary,
        "history": solution.history,
    } | ({} if solution.scheme is None else {"time": solution.scheme.to_dict()})
    metadata = {name: json.dumps(value, allow_nan=True) for name, value in header.items()}
    return replace_file(path, to_bytes({k: np.asarray(v, order="C") for k, v in tensors.items()}, metadata))


def load(path: str | Path) -> Solution:
    """The solution in a file that `save` wrote. Whatever is wrong with the file is one clear error."""
    from ._solution import Solution

    path = Path(path)
    header, tensors = _read(path)
    try:
        problem = _problem(header["problem"])
        architecture = Architecture.from_dict(header["architecture"])
        scheme = Scheme.from_dict(header["time"]) if "time" in header else None
        scales = [(float(a), float(b)) for a, b in header["scales"]]
        model = _model(problem, scheme, architecture, tensors, scales)
        return Solution(problem, model, dict(header["summary"]), list(header["history"]), scheme)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(f"{path}: not a solution of qres that can be read: {_line(error)}") from None


def _problem(stated: Mapping[str, Any]) -> Problem:
    """The problem; without its reference where that is a file which is gone, or another by now."""
    try:
        return Problem.from_dict(stated)
    except InputError:
        if not isinstance(stated, Mapping) or not isinstance(stated.get("reference"), Mapping):
            raise
        return Problem.from_dict({key: value for key, value in stated.items() if key != "reference"})


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
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if "format" not in metadata or "architecture" not in metadata:
                raise InputError(f"{path}: a safetensors file, but not a solution of qres")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, MemoryError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: not a solution of qres, or damaged: {_line(error)}") from None
    try:
        header = {name: json.loads(text) for name, text in metadata.items()}
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: the header is damaged: {_line(error)}") from None
    if header["format"] != FORMAT:
        raise InputError(f"{path}: format {header['format']!r} is not one that this version reads ({FORMAT})")
    return header, tensors


def _model(
    problem: Problem,
    scheme: Scheme | None,
    architecture: Architecture,
    tensors: dict[str, np.ndarray],
    scales: list[tuple[float, float]],
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
    skeleton = Model.create(problem, network, scales)
    leaves, structure = jax.tree_util.tree_flatten_with_path(skeleton)
    filled = []
    for place, leaf in leaves:
        name = jax.tree_util.keystr(place).lstrip(".")
        if not eqx.is_array(leaf):
            filled.append(leaf)
            continue
        if name not in tensors or tensors[name].shape != leaf.shape:
            found = tensors[name].shape if name in tensors else "nothing"
            raise InputError(f"{name} should have shape {leaf.shape}, and the file has {found}")
        if not np.issubdtype(tensors[name].dtype, np.floating):
            raise InputError(f"{name} should hold numbers, not {tensors[name].dtype}")
        filled.append(jax.numpy.asarray(tensors[name], dtype=float))
    return jax.tree_util.tree_unflatten(structure, filled)
