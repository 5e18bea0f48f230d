"""Compilation of native code, once per machine, and its registration with XLA."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jax

from qres.runtime.cache import find_verified, private_folder, verified_name
from qres.runtime.files import replace_file

_FOLDER = Path(__file__).parent
_FLAGS = ("-O3", "-std=c++17", "-fPIC", "-shared")
_FOR_THIS_MACHINE = (["-march=native"], ["-mcpu=native"], [])  # not every compiler has each
_PATIENCE = 120.0  # seconds that a compiler may take


@dataclass(frozen=True)
class Kernel:
    """Names by which XLA knows a network's pass, and the number that a tile's points are a multiple of."""

    forward: str
    reverse: str
    step: int


@cache
def kernel(series: str, *, single: bool) -> Kernel | None:
    """The pass for series of a truncation; None where it cannot be compiled.

    Args:
        series: the text of `series.h`.
        single: whether numbers are float32.
    """
    found = _library("pass.cpp", series, *(("-DSINGLE",) if single else ()))
    if found is None:
        return None
    library, key = found
    names = [_register(library, f"qres_{direction}", key) for direction in ("forward", "reverse")]
    return Kernel(*names, step=library.qres_step())


@dataclass(frozen=True)
class Matrix:
    """Names by which XLA knows the product with a symmetric matrix, and its update."""

    product: str
    update: str


@cache
def matrix() -> Matrix | None:
    """What native code does with symmetric matrices; None where it cannot be compiled."""
    found = _library("matrix.cpp", "")
    return found and Matrix(
        *(_register(found[0], f"qres_{what}", found[1]) for what in ("product", "update"))
    )


def _library(source: str, series: str, *more: str) -> tuple[ctypes.CDLL, str] | None:
    """A library, compiled if it has not been on this machine, and the key that it is kept by; None where it fails."""
    command = compiler()
    if command is None:
        return None
    words = [*command, *_FLAGS, *more]
    texts = [(_FOLDER / name).read_text() for name in (source, "common.h")]
    parts = (*texts, series, *words, _machine(), jax.__version__)
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
    try:
        return _loaded(key, words, source, series), key
    except (OSError, subprocess.SubprocessError) as error:
        warnings.warn(f"native code is not used, since {_reason(error)}; training is slower", stacklevel=3)
        return None


def _loaded(key: str, words: list[str], source: str, series: str) -> ctypes.CDLL:
    """From the cache, if what is there is ours and undamaged; else compiled, and kept where only we can write."""
    folder = None
    try:
        folder = private_folder("native")
    except OSError as error:
        warnings.warn(f"{error}: native code is compiled for this run only", stacklevel=4)
    if folder is not None and (kept := find_verified(folder, key)) is not None:
        return ctypes.CDLL(str(kept))
    content = _compile(words, source, series)
    if folder is not None:
        with contextlib.suppress(OSError):  # a disk that is full, or cannot be written to
            kept = replace_file(folder / verified_name(key, content), content, private=True)
            return ctypes.CDLL(str(kept))
    with tempfile.TemporaryDirectory() as passing:  # code that is loaded stays when its file goes
        return ctypes.CDLL(str(replace_file(Path(passing) / f"{key}.so", content, private=True)))


def compiler() -> list[str] | None:
    """The user's C++ compiler, `CXX` first; None where there is none, or `QRES_NATIVE=0` says not to use it."""
    if not is_wanted():
        return None
    for candidate in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        words = shlex.split(candidate)
        if words and shutil.which(words[0]):
            return words
    return None


def is_wanted() -> bool:
    """Whether `QRES_NATIVE=0` does not switch native code off."""
    return os.environ.get("QRES_NATIVE", "1") != "0"


def _machine() -> str:
    """What `-march=native` depends on, as far as it can be told: a cache folder may be shared by several machines."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    return "\n".join(
        dict.fromkeys(line for line in lines if line.startswith(("model name", "flags", "Features")))
    )


def _compile(words: list[str], source: str, series: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "series.h").write_text(series)
        built = Path(folder) / "built.so"
        paths = [f"-I{folder}", f"-I{jax.ffi.include_dir()}", str(_FOLDER / source), "-o", str(built)]
        attempts = [[*words, *machine, *paths] for machine in _FOR_THIS_MACHINE]
        if not any(_run(command).returncode == 0 for command in attempts):
            _run(attempts[-1]).check_returncode()
        return built.read_bytes()


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE)


def _register(library: ctypes.CDLL, function: str, key: str) -> str:
    """The name that XLA knows a function of a library by from now on."""
    name = f"{function}_{key}"
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(library, function)), platform="cpu")
    return name


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = [line for line in error.stderr.splitlines() if "error" in line] or error.stderr.splitlines()
        return f"{error.cmd[0]} failed: {lines[0] if lines else 'without a word'}"
    return str(error)
