"""Build a wheel and an sdist, and check them as a stranger would meet them. Run: `make release`.

The wheel alone goes into a fresh environment, outside of this folder; `qres solve burgers` runs there, once as is and
once without a C++ compiler. Nothing is uploaded.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
MOST_BYTES = 5_000_000
_ITERATIONS = "20"
_NEEDED = (
    "qres/py.typed", "qres/native/pass.cpp", "qres/report/page.html", "qres/report/references.bib",
    "qres/problems/library/burgers.toml",
)  # fmt: skip


def main() -> None:
    """Build, check, install, run."""
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--outdir", dist, ROOT)
    (wheel,), (source,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    _run(sys.executable, "-m", "twine", "check", "--strict", wheel, source)
    check_wheel(wheel)
    with tempfile.TemporaryDirectory() as folder:
        python = _fresh(Path(folder) / "venv", wheel)
        for what, variables in {"as it is": {}, "without a compiler": without_compiler(Path(folder))}.items():
            cache = Path(folder) / f"cache {what}"
            command = [
                python,
                "-m",
                "qres",
                "solve",
                "burgers",
                "--iterations",
                _ITERATIONS,
                "--out",
                cache / "run",
            ]
            cache.mkdir()
            _run(*command, cwd=folder, env=_clean_environment() | {"QRES_CACHE": str(cache)} | variables)
            assert (cache / "run" / "report.html").stat().st_size > 10_000
            native = list(cache.rglob("*.so")) + list(cache.rglob("*.dylib")) + list(cache.rglob("*.dll"))
            print(f"{what}: solved; {len(native)} libraries compiled", flush=True)
            assert not (variables and native)
    print(f"{wheel.name} {wheel.stat().st_size:,} bytes, {source.name} {source.stat().st_size:,} bytes")


def check_wheel(wheel: Path) -> None:
    """Small, with all that is read at run time, and with nothing of the tests."""
    names = zipfile.ZipFile(wheel).namelist()
    for needed in _NEEDED:
        assert needed in names, f"{wheel.name} has no {needed}"
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "docs"))]
    assert wheel.stat().st_size < MOST_BYTES, f"{wheel.name} has {wheel.stat().st_size:,} bytes"


def without_compiler(folder: Path) -> dict[str, str]:
    """Variables under which no compiler is found."""
    empty = folder / "nothing"
    empty.mkdir(exist_ok=True)
    return {"PATH": str(empty), "CXX": str(empty / "no-compiler")}


def _fresh(place: Path, wheel: Path) -> Path:
    _run(sys.executable, "-m", "venv", place)
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    constraints = ROOT / "constraints.txt"
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", constraints, wheel)
    return python


def _clean_environment() -> dict[str, str]:
    """Without what points to this folder's sources."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def _run(*command: object, **options: object) -> None:
    subprocess.run([str(word) for word in command], check=True, **options)  # pyright: ignore


if __name__ == "__main__":
    main()
