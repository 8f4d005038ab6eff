"""Commands that the design names and that have no body yet. They say so and exit with 2."""

from __future__ import annotations

from firm.failures import not_built_yet


def rebuild() -> None:
    """Everything again from RAW (not built yet)."""
    not_built_yet(
        "`firm rebuild`",
        "Point FIRM_DATA at a folder with nothing in it but the old erased.json and ingest again until then.",
    )
