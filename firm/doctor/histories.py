"""`firm doctor` check of histories: finds those with rows from before an upgrade. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb

from warehouse.history import database
from warehouse.storage.layout import Layout

Found = tuple[str, str, str]
"""State (ok, warn or bad), the subject checked, and what to do about it."""


def history_findings(layout: Layout) -> Iterator[Found]:
    """Checks the history of each market; one being written is skipped."""
    for path in sorted(layout.history_folder.glob("*.duckdb")):
        try:
            is_mixed = database.has_mixed_schema_versions(path)
        except duckdb.IOException:
            yield "ok", f"history of {path.stem}: being written now", ""
            continue
        except duckdb.Error as error:
            yield (
                "bad",
                f"history of {path.stem}",
                f"{error}: restore {path} from a copy, or ingest into a new FIRM_DATA",
            )
            continue
        if is_mixed:
            yield (
                "warn",
                f"history of {path.stem} has rows from before an upgrade, which lack new columns",
                f"run: firm rebuild {path.stem.lower()}",
            )
        else:
            yield "ok", f"history of {path.stem}", ""
