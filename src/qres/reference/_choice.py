"""One error for a name that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches


def choose(what: str, value: object, allowed: Iterable[str]) -> str:
    """The value, if it is allowed; else a `ValueError` that names it, what is allowed, and what is nearest.

    Args:
        what: the argument's name.
        value: as it was given.
        allowed: the values that it may have.
    """
    known = list(allowed)
    if isinstance(value, str) and value in known:
        return value
    near = get_close_matches(str(value).lower(), known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"{what} must be one of {', '.join(map(repr, known))}, not {value!r}{hint}")
