"""Entities that Enhetsregisteret removed for legal reasons: status 410, `Fjernet` in the feed.

Their personal data must be erased. Belongs here: which staged rows mean removal. Does not belong here: the erasure,
which follows the ingest (`connectors.contract.dataset.Jurisdiction.removed`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import polars as pl

from connectors.no.enheter.schema import DELETED, REMOVED


def _is_removed(rows: pl.DataFrame) -> pl.Series:
    return rows["respons_klasse"] == REMOVED


REMOVALS: Final[Mapping[str, Callable[[pl.DataFrame], pl.Series]]] = {DELETED.name: _is_removed}
