"""Safetensors with a digest of the file in its header, which detects any altered bit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as from_bytes
from safetensors.numpy import save as to_bytes

DIGEST = "sha256"
_BLANK = "0" * 64


class Damaged(ValueError):
    """A file that is not as it was written."""


def sealed(tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> bytes:
    """The content of a file with these arrays and texts; the digest is that of the file with a blank in its place."""
    arrays = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    content = to_bytes(arrays, {**metadata, DIGEST: _BLANK})
    place = _place(content, _BLANK)
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:place] + digest + content[place + len(digest) :]


def metadata_in(content: bytes, largest: int | None = None) -> dict[str, str]:
    """The texts in a file's header; `Damaged` where there is no header, or one larger than allowed."""
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or length > len(content) - 8 or (largest is not None and length > largest):
        raise Damaged(f"a header of {length} bytes in a file of {len(content)}")
    try:
        found = json.loads(content[8 : 8 + length])["__metadata__"]
        if not all(isinstance(text, str) for text in found.values()):
            raise TypeError("the header does not hold texts")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Damaged(f"the header cannot be read ({error})") from None
    return found


def check_seal(content: bytes, metadata: Mapping[str, str]) -> None:
    """`Damaged` where the content is not what the digest in its header is of."""
    digest = metadata.get(DIGEST, "")
    place = _place(content, digest)
    blank = content[:place] + _BLANK.encode() + content[place + len(digest) :]
    if len(digest) != len(_BLANK) or hashlib.sha256(blank).hexdigest() != digest:
        raise Damaged("its content has changed since it was written (the digest does not match)")


def tensors_in(content: bytes) -> dict[str, np.ndarray]:
    """The arrays in a file."""
    try:
        return from_bytes(content)
    except (SafetensorError, ValueError, KeyError, TypeError, MemoryError) as error:
        raise Damaged(str(error)) from None


def _place(content: bytes, digest: str) -> int:
    """Where the digest stands in the header."""
    length = int.from_bytes(content[:8], "little")
    place = content[: 8 + length].find(f'"{DIGEST}":"{digest}"'.encode())
    if place < 0:
        raise Damaged("its header has no digest where one should be")
    return place + len(f'"{DIGEST}":"')
