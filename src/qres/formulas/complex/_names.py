"""The real fields that stand for a complex one: `h_re`, `h_im`, and the definition `h_abs`."""

from __future__ import annotations


def part_names(name: str) -> tuple[str, str]:
    """The names of the real and the imaginary part."""
    return f"{name}_re", f"{name}_im"


def modulus_name(name: str) -> str:
    """The name of the modulus, `|h|`."""
    return f"{name}_abs"
