"""`results/bench.json`: every piece under its key, written when it is done; what is there is not measured again."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from qres.results import dumps, loads
from qres.runs import now

from .say import progress

PACKAGES = (
    "qres-pde",
    "jax",
    "jaxlib",
    "equinox",
    "numpy",
    "scipy",
    "torch",
    "deepxde",
    "flax",
    "jinns",
    "optax",
)


class Store:
    """The file, and what is in it."""

    def __init__(self, path: Path, *, quick: bool) -> None:
        self.path = path
        self.again = False  # whether to measure what is there already
        self.content: dict[str, Any] = loads(path.read_text()) if path.exists() else {}
        if self.content.get("quick", quick) != quick:
            raise SystemExit(f"{path} holds a {'full' if quick else 'quick'} measurement: give another --out")
        self.content |= {
            "command": "make bench",
            "quick": quick,
            "machine": machine(),
            "versions": versions(),
        }
        self.pieces: dict[str, Any] = self.content.setdefault("pieces", {})

    def measure(self, key: str, function: Callable[[], Any]) -> Any:
        """The piece under a key, measured now if it is not there."""
        if key in self.pieces and not self.again:
            return self.pieces[key]["result"]
        progress(key)
        result = function()
        self.pieces[key] = {"date": now(), "result": result}
        self.save()
        return result

    def get(self, key: str) -> Any:
        """A piece, or None where it was not measured yet."""
        return self.pieces[key]["result"] if key in self.pieces else None

    def save(self) -> None:
        """The whole file, or the old one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".tmp")
        partial.write_text(dumps(self.content, indent=1) + "\n")
        partial.replace(self.path)


def versions() -> dict[str, str]:
    """Of Python and of all that is compared."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def machine() -> dict[str, Any]:
    """Cores, processor, memory, system."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":", 1)[1].strip() if lines else model
        wide = "AVX-512" if " avx512f" in cpuinfo.read_text() else "AVX2"
        model = f"{model} ({wide})"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": model,
        "memory_gib": round(memory / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
    }
