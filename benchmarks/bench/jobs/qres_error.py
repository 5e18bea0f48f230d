"""qres on Burgers' equation as `qres.solve` does it, with its error as time goes by; nothing compiled before."""

from __future__ import annotations

from typing import Any

import jax.monitoring

import qres
from bench.jobs import answer, arguments
from bench.jobs.clock import process_age


def main() -> None:
    asked = arguments()
    compiled = [0.0]

    def listen(event: str, duration_secs: float, **kwargs: Any) -> None:
        if event.endswith(("backend_compile_duration", "jaxpr_to_mlir_module_duration")):
            compiled[0] += duration_secs

    jax.monitoring.register_event_duration_secs_listener(listen)
    history = []

    def note(run: qres.RunView) -> None:
        # What qres spends on its own errors and records counts as its time.
        history.append(
            [round(process_age(), 3), run.iteration, run.record.errors["u"], round(compiled[0], 3)]
        )

    solution = qres.solve(
        "burgers",
        preset=asked.get("preset"),
        seed=asked["seed"],
        time_limit=asked.get("time_limit"),
        iterations=asked.get("iterations"),
        progress=False,
        callbacks=[note],
    )
    result = solution.result
    answer(
        {
            "history": history, "parameters": result.parameters, "stopped": result.stopped.message,
            "iterations": result.iterations, "compile_seconds": history[-1][3],
        }
    )  # fmt: skip


if __name__ == "__main__":
    main()
