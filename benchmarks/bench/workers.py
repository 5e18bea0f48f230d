"""Workers asked in turn: each variant in a process of its own, all in every round, so that noise hits all alike."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from qres.results import dumps, loads

from .case import Case
from .say import progress

ROOT = Path(__file__).parent.parent
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def environment(cores: int, **more: str) -> dict[str, str]:
    """For a process on some cores: as many threads in every library, and no setting of JAX from outside."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "XLA_", "DDE_", "QRES_"))}
    threads = dict.fromkeys(_THREADS, str(cores))
    return clean | threads | {"PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"} | more


def on_cores(cores: int, command: Sequence[str]) -> list[str]:
    """A command bound to the first cores."""
    return ["taskset", "-c", ",".join(map(str, range(cores))), *command]


@dataclass(frozen=True)
class Variant:
    """A module of `variants`, its options, and what its process needs in its environment."""

    module: str
    options: dict[str, int] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)


class Worker:
    """One such process."""

    def __init__(self, variant: Variant, cores: int, folder: str) -> None:
        self.variant, self._folder = variant, folder
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            on_cores(cores, [sys.executable, "-m", "bench.worker"]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True,
            env=environment(cores, **variant.environment),
        )  # fmt: skip

    def prepare(self, label: str, case: Case) -> dict[str, Any]:
        """Build and compile; for each thing to time, its loss, gradient and the time of the first call."""
        gradient = str(Path(self._folder) / f"{id(self)}")
        return self._ask(
            do="prepare", label=label, variant=self.variant.module, case=asdict(case),
            options=self.variant.options, gradient=gradient,
        )  # fmt: skip

    def time(self, name: str, seconds: float, least: int) -> list[float]:
        """Milliseconds of each call."""
        return self._ask(do="time", name=name, seconds=seconds, least=least)

    def counts(self) -> dict[str, float]:
        """Evaluations for each unit of work, where a variant counts them."""
        return self._ask(do="count")

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _ask(self, **request: Any) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer = loads(line) if line else {"error": self._last_words()}
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(f"{self.variant.module}: {answer['error']}")
        return answer

    def _last_words(self) -> str:
        self._log.seek(0)
        return "the worker ended: " + self._log.read().decode()[-2000:]


@contextmanager
def crew(variants: Sequence[Variant], cores: int) -> Iterator[list[Worker]]:
    """Workers for some variants, which end together."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        workers = []
        for variant in variants:
            workers.append(Worker(variant, cores, folder))
            stack.callback(workers[-1].close)
        yield workers


def compare(
    workers: Sequence[Worker], cases: Mapping[str, Case], *, rounds: int, seconds: float, least: int = 3
) -> dict[str, dict[str, Any]]:
    """Time all that the workers offer for each case, in turn; every loss and gradient is checked against the first's.

    Returns statistics in milliseconds, by case and name.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    plan: list[tuple[str, str, Worker]] = []
    for label, case in cases.items():
        found[label] = {}
        for worker in workers:
            progress(f"  {label}: {worker.variant.module} is built and checked")
            for name, first in worker.prepare(label, case).items():
                found[label][name] = first | {"ms": []}
                plan.append((label, name, worker))
        _check(label, found[label], case.dtype)
    for number in range(rounds):
        progress(f"  round {number + 1} of {rounds}")
        for label, name, worker in plan:
            found[label][name]["ms"] += worker.time(f"{label}/{name}", seconds, least)
    return {
        label: {
            name: statistics(one["ms"])
            | {k: one[k] for k in ("first_seconds", "loss", "difference") if k in one}
            for name, one in named.items()
        }
        for label, named in found.items()
    }


def _check(label: str, found: dict[str, dict[str, Any]], dtype: str) -> None:
    """Loss and gradient must be those of the first, to what the precision allows; else nothing is timed."""
    checked = {name: one for name, one in found.items() if "loss" in one}
    if not checked:
        return
    allowed = {"float64": 1e-9, "float32": 1e-3}[dtype]
    first = next(iter(checked.values()))
    grad = np.load(first["gradient"])
    for name, one in checked.items():
        off = max(
            abs(one["loss"] / first["loss"] - 1),
            float(np.linalg.norm(np.load(one["gradient"]) - grad) / np.linalg.norm(grad)),
        )
        one["difference"] = off
        if not off < allowed:
            raise RuntimeError(
                f"{label}: {name} has another loss or gradient, by {off:.1e}; nothing is timed"
            )


def statistics(values: Sequence[float]) -> dict[str, Any]:
    """Minimum, quartiles and count."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    rounded = {"min": min(values), "quartile": low, "median": middle, "upper": high}
    return {name: float(f"{value:.5g}") for name, value in rounded.items()} | {"calls": len(values)}
