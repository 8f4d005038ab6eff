"""Retractions for operators: which batches were taken out of use, when, by whom and why, next to the releases.

Stored next to the pointer, like `run_log`, so that every reader of releases can read it. Does not belong here: what a
retraction is recorded by (`warehouse.raw.archive`), of which this is a copy.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from warehouse.schema.retractions import BatchRetraction
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout


def write_retractions(layout: Layout, retractions: Iterable[BatchRetraction]) -> None:
    """Replaces the list; keys of records are left out."""
    listed = [replace(one, pending=(), reopened=()) for one in retractions]
    ordered = sorted(listed, key=lambda one: (one.at, one.datasets), reverse=True)
    atomic_files.write_json(layout.retraction_log_file, [one.as_json() for one in ordered])


def read_retractions(layout: Layout) -> list[BatchRetraction]:
    """Every retraction, newest first; none before the first."""
    try:
        values = json.loads(layout.retraction_log_file.read_bytes())
    except FileNotFoundError:
        return []
    return [BatchRetraction.parse(one) for one in values]
