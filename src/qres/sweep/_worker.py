"""The worker program: reads tasks as lines of JSON, and writes results as lines of JSON."""

from __future__ import annotations

import os
import sys
import threading
from queue import SimpleQueue

from qres.results import dumps, loads


def main() -> None:
    """Work until standard input ends: then nobody waits for an answer any more, and the process ends at once."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints is no answer
    tasks: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()

    import jax

    from qres.runtime.jax_config import configure

    from ._work import perform

    configure()

    while True:
        task = loads(tasks.get())
        answers.write(dumps(perform(**task)) + "\n")
        answers.flush()
        jax.clear_caches()  # compiled programs stay on disk; in memory they would add up from job to job


def _listen(tasks: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        tasks.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
