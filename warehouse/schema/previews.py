"""The setting FIRM_PREVIEW_MARKETS, for the areas of settings that have it.

`markets` applies it when it is imported; settings are read later, and only check it. Does not belong here: which
markets have a preview (their declarations).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.markets import MARKETS, PREVIEWED, preview_codes

DESCRIPTION: Final = (
    "Markets in preview that are served, by their codes, separated by blanks; empty: they are announced. Set it for "
    "every process of an installation: those that ingest, serve and deliver."
)


def parse_previews(text: str) -> frozenset[str]:
    """Codes of markets in preview.

    The message of a ValueError is what follows the setting's name. The codes must be those with which the process was
    started: by then the markets are declared.
    """
    codes, known = preview_codes(text), {code for code, market in MARKETS.items() if market.has_preview}
    if not codes <= known:
        raise ValueError(f"must list markets in preview ({' '.join(sorted(known)).lower()}), not {text!r}")
    if codes != PREVIEWED & known:
        raise ValueError(f"must be set when the program starts, in its environment or `.env`, not {text!r}")
    return codes
