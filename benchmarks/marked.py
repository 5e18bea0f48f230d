"""Parts of a page that are made from results: what stands between two comments is replaced, the rest is a person's."""

from __future__ import annotations

from collections.abc import Mapping


def filled(text: str, parts: Mapping[str, str]) -> str:
    """A page with its parts, by name, replaced."""
    for name, content in parts.items():
        begin, end = f"<!-- {name}: made from results -->", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        if not found or not ended:
            raise ValueError(f"the page has no part between {begin!r} and {end!r}")
        text = f"{before}{begin}\n{content}\n{end}{after}"
    return text
