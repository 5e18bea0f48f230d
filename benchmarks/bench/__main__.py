"""`python -m bench`: measure all parts, or those asked for; print tables; write the results and the documentation.

Run: `make bench`, `make bench PARTS="loss orders"`, `make bench QUICK=1`. It goes on where it was cut off.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from .pace import FULL, QUICK
from .page import write_page
from .say import progress
from .store import Store

PARTS = ("loss", "orders", "roofline", "broyden", "growth", "startup", "processes", "error")
ROOT = Path(__file__).parent.parent.parent


def main() -> None:
    """Every part in turn; what is recorded is not measured again."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--only", nargs="*", choices=PARTS, help="parts; all of them by default")
    parser.add_argument("--quick", action="store_true", help="few rounds and points: to see that it works")
    parser.add_argument("--again", action="store_true", help="measure the parts asked for again")
    parser.add_argument("--seeds", type=int, help=f"of runs to an error; {FULL.seeds} by default")
    parser.add_argument("--out", type=Path, help="results/bench.json by default")
    asked = parser.parse_args()
    out = asked.out or (Path("build/bench-quick.json") if asked.quick else ROOT / "results" / "bench.json")
    store, pace = Store(out, quick=asked.quick), QUICK if asked.quick else FULL
    pace = replace(pace, seeds=asked.seeds or pace.seeds)
    for name in asked.only or PARTS:
        part = import_module(f"bench.parts.{name}")
        progress(part.TITLE)
        store.again = asked.again
        part.run(store, pace)
        print("\n" + "\n".join(table.text() for table in part.tables(store)), flush=True)
    pages = Path("build/bench-quick") if asked.quick else ROOT / "docs"
    write_page(store, pages, [import_module(f"bench.parts.{name}") for name in PARTS])
    progress(f"written: {out.name}, {pages.name}/performance.md")


if __name__ == "__main__":
    main()
