"""Registries of user-defined extensions, and the files that register them in every process."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from .errors import InputError, did_you_mean, listed, shorten

EXTENSIONS = "QRES_EXTENSIONS"
"""The environment variable with the files or modules that register extensions, separated as in PATH."""

_NAME = re.compile(r"[a-z][a-z0-9_.-]*")
Entry = TypeVar("Entry")


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Entries by name. Built-in names are fixed; a name of a user's may be registered again, and means the last one.

    A name that is not known is looked for in the files of `QRES_EXTENSIONS`, which are run then, each once.
    """

    def __init__(self, kind: str, built_in: Mapping[str, Entry], function: str | None = None) -> None:
        self.kind, self.function = kind, function or kind
        self.built_in = dict(built_in)
        self.added: dict[str, Entry] = {}

    def register(self, name: str, entry: Entry) -> None:
        """Add an entry under a name: lower-case letters, digits, and `_`, `-` or `.`."""
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InputError(
                f"{self.kind} {shorten(repr(name))}: a name is of lower-case letters, digits, '_', '-' and '.', and "
                "begins with a letter"
            )
        if name in self.built_in:
            raise InputError(f"{self.kind} {name!r} is built in: choose another name")
        self.added[name] = entry

    def check(self, name: object) -> None:
        """An error where nothing has this name."""
        if isinstance(name, str) and name in self:
            return
        if callable(name):
            raise InputError(f"{self.kind}: {self._remedy}, and give the name, not {shorten(repr(name))}")
        near = did_you_mean(str(name), list(self))
        raise InputError(
            f"{self.kind} {shorten(repr(name))} is not known{near or ';'} allowed: {listed(self)}; {self._remedy}"
        )

    @property
    def _remedy(self) -> str:
        return f"register one of your own with qres.extend.register_{self.function}"

    def __getitem__(self, name: str) -> Entry:
        if name not in self.built_in and name not in self.added:
            load_extensions()
        return self.built_in[name] if name in self.built_in else self.added[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from self.added

    def __len__(self) -> int:
        return len(self.built_in) + len(self.added)

    def __repr__(self) -> str:
        return f"Registry({self.kind!r}, {list(self)})"


def use_extensions(source: str | Path) -> None:
    """Run a file, or import a module, that registers extensions: here, and in every process that this one starts."""
    named = str(Path(source).resolve()) if _is_file(str(source)) else str(source)
    _load(named)
    others = [name for name in _listed() if name != named]
    os.environ[EXTENSIONS] = os.pathsep.join([*others, named])


def load_extensions() -> None:
    """Run the files and import the modules of `QRES_EXTENSIONS` that were not yet."""
    for source in _listed():
        _load(source)


def _listed() -> list[str]:
    return [source for source in os.environ.get(EXTENSIONS, "").split(os.pathsep) if source]


def _is_file(source: str) -> bool:
    return source.endswith(".py")


def _load(source: str) -> None:
    name = f"qres_extension:{source}" if _is_file(source) else source
    if name in sys.modules:
        return
    try:
        if not _is_file(source):
            importlib.import_module(source)
            return
        found = importlib.util.spec_from_file_location(name, source)
        assert found is not None and found.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(found)
        found.loader.exec_module(sys.modules[name])
    except Exception as error:
        sys.modules.pop(name, None)
        raise InputError(
            f"extensions of {source}: {type(error).__name__}: {shorten(str(error), 200)}"
        ) from error
