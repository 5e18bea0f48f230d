"""The networks of the paper by name: `QRes(problem, width=10, depth=8, key=key)`."""

from __future__ import annotations

from typing import Any

from jaxtyping import PRNGKeyArray

from ._network import Architecture, Domain, Network


def _build(
    kind: str, domain: Domain, width: int, depth: int, key: PRNGKeyArray, options: dict[str, Any]
) -> Network:
    return Architecture.from_dict({"kind": kind, "width": width, "depth": depth, **options}).build(
        domain, key=key
    )


def QRes(problem: Domain, width: int = 20, depth: int = 4, *, key: PRNGKeyArray, **options: Any) -> Network:
    """The paper's network, `act(W1x ∘ W2x + W1x + b)`; `options` are those of `Architecture`."""
    return _build("qres", problem, width, depth, key, options)


def MLP(problem: Domain, width: int = 20, depth: int = 8, *, key: PRNGKeyArray, **options: Any) -> Network:
    """The plain network of physics-informed neural networks, `act(Wx + b)`."""
    return _build("mlp", problem, width, depth, key, options)


def APINN(problem: Domain, width: int = 20, depth: int = 8, *, key: PRNGKeyArray, **options: Any) -> Network:
    """Adaptive activations, `act(n α (Wx + b))`."""
    return _build("apinn", problem, width, depth, key, options)


def ISC(problem: Domain, width: int = 20, depth: int = 8, *, key: PRNGKeyArray, **options: Any) -> Network:
    """Identity shortcuts, `act(Wx + b) + x`."""
    return _build("isc", problem, width, depth, key, options)


def QSC(problem: Domain, width: int = 10, depth: int = 8, *, key: PRNGKeyArray, **options: Any) -> Network:
    """Quadratic shortcuts, `W1x ∘ W2x + act(W1x + b)`."""
    return _build("qsc", problem, width, depth, key, options)


def QDN(problem: Domain, width: int = 10, depth: int = 4, *, key: PRNGKeyArray, **options: Any) -> Network:
    """Three weight matrices, `act((W1x + b1) ∘ (W2x + b2) + W3x² + b3)`."""
    return _build("qdn", problem, width, depth, key, options)
