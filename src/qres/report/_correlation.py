"""The correlation of the unknowns as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping

from qres.results.display import name, number

_MOST = 10  # unknowns that a table has room for


def correlation_table(correlation: Mapping[str, Mapping[str, float]]) -> str:
    """Each pair's correlation, the stronger the darker; of many unknowns, the pairs that are strongest."""
    names = list(correlation)
    if len(names) < 2:
        return ""
    caption = (
        "Correlation of the unknowns: near ±1, the measurements determine only a combination of the two."
    )
    if len(names) > _MOST:
        return f'<h3>Strongest correlations</h3>{_strongest(correlation)}<p class="note">{caption}</p>'
    head = "".join(f'<th scope="col">{name(one)}</th>' for one in names)
    rows = "".join(
        f'<tr><th scope="row">{name(one)}</th>{"".join(_cell(correlation[one].get(other)) for other in names)}</tr>'
        for one in names
    )
    return (
        f'<p class="note">{caption}</p><div class="scroll" tabindex="0" role="group" aria-label="Correlation">'
        f'<table class="matrix"><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _strongest(correlation: Mapping[str, Mapping[str, float]]) -> str:
    names = list(correlation)
    pairs = [(one, other) for place, one in enumerate(names) for other in names[:place]]
    strength = {pair: correlation[pair[0]].get(pair[1], math.nan) for pair in pairs}
    first = sorted(strength, key=lambda pair: -abs(strength[pair]))[:_MOST]
    items = "".join(f"<li>{name(b)} and {name(a)}: {_signed(strength[a, b])}</li>" for a, b in first)
    return f"<ul>{items}</ul>"


def _cell(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "<td>–</td>"
    return f'<td style="--strength:{min(1.0, abs(value)):.2f}">{_signed(value)}</td>'


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + (number(value, 2) if abs(value) < 0.995 else number(value, 4))
