"""The command line: one application, one file per command, and one place where errors become exit statuses."""

from __future__ import annotations

import gc
import sys
from typing import Annotated

import typer

from qres.runtime.errors import Failure, InputError, shorten

from ._interrupt import handle_interrupts

app = typer.Typer(
    name="qres",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # with Rich, --help takes twice as long
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Examples: `qres list` · `qres solve burgers` · `qres solve mine.toml --time-limit 60` · "
    "`qres predict runs/burgers-… --at t=0.5,x=0.1`",
)

_GARBAGE = 100_000  # new objects between two looks for garbage; Python's own is 700


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"qres {version('qres-pde')}")
        raise typer.Exit


@app.callback()
def qres(
    shown: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Solve partial differential equations with small quadratic residual networks.

    Write an equation in a TOML file, or take a built-in problem (`qres list`), and `qres solve` it.
    Every run has a folder with its specification, history, checkpoint, solution and a report page.
    """


def main() -> None:
    """Run the command; wrong input is one line on standard error and exit status 2, a failure 1."""
    # Imports and tracing make many objects that stay: looking for garbage among them is a sixth of the start-up.
    gc.set_threshold(_GARBAGE)
    handle_interrupts()
    try:
        app()
    except InputError as error:  # anything else is a bug, and shows its traceback
        _end(str(error), 2)
    except Failure as error:
        _end(str(error), 1)
    except MemoryError as error:
        _end(f"not enough memory: {shorten(str(error)) or 'the system gives no more'}", 1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _end(f"{where}{error.strerror or error}", 1)


def _end(message: str, status: int) -> None:
    print(f"qres: {message}", file=sys.stderr)
    sys.exit(status)
