"""Derives a company's status from insolvency cases (docs/formats/uk.md 5, 11, docs/contract/contract.md «Status»).

A case that has begun and not ended counts if it was reported after the register's status and that status is only
active: streams are minutes apart, and the bulk file is a month old. Cases without an end in the data (receivers:
their practitioners just leave) decide nothing. Does not belong here: parsing responses (`streaming_api.rows`), or
the status of any other term (`status`).
"""

from __future__ import annotations

from typing import Final

import msgspec
import polars as pl

from connectors.kit import code_lists
from connectors.uk.basic_company_data.dataset import KEY
from connectors.uk.profile.live import DOOR, TOLD, bulk_instant, reported_at

CASE: Final = "_case"  # register status term implied by a case
CASE_AT: Final = "_case_at"
_BEGUN: Final = frozenset({
    "wound-up-on", "ordered-to-wind-up-on", "administration-started-on", "voluntary-arrangement-started-on",
})  # fmt: skip
_ENDED: Final = frozenset({
    "concluded-winding-up-on", "due-to-be-dissolved-on", "dissolved-on", "administration-ended-on",
    "administration-discharged-on", "voluntary-arrangement-ended-on",
})  # fmt: skip
_PLAIN: Final = ("active", "active - proposal to strike off")


class _StoredCase(msgspec.Struct):
    type: str | None = None
    dates: dict[str, str] = {}


_CASES: Final = msgspec.json.Decoder(list[_StoredCase])


def with_cases(rows: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """Adds `_case` and `_case_at` to register rows; null where no open case decides."""
    known = cases.filter(~pl.col("deleted"))
    kind = rows.schema["_observed_at"]
    if known.is_empty():  # nearly always; avoids joining millions of rows with nothing
        return rows.with_columns(pl.lit(None, pl.String).alias(CASE), pl.lit(None, kind).alias(CASE_AT))
    words = pl.Series([_gravest_status_word(text) for text in known["cases"]], dtype=pl.String)
    found = known.select(
        CompanyNumber="company_number", _said=words, _said_at=reported_at(), _came_at="_observed_at"
    ).drop_nulls("_said")
    instant = pl.when(pl.col(DOOR) == KEY).then(bulk_instant(pl.col("_observed_at"))).otherwise(TOLD)
    counts = (pl.col("_said_at") > instant) & pl.col("CompanyStatus").str.to_lowercase().is_in(_PLAIN)
    counts = counts.fill_null(value=False)
    return (
        rows.join(found, on="CompanyNumber", how="left", maintain_order="left")
        .with_columns(pl.when(counts).then("_said").alias(CASE), pl.when(counts).then("_came_at").alias(CASE_AT))
        .drop("_said", "_said_at", "_came_at")
    )


def _gravest_status_word(cases: str) -> str | None:
    """Status term of the most serious open case: winding up ranks above a rescue."""
    listed = code_lists.load_code_list("connectors.uk", "insolvency_cases")
    words = {
        word
        for case in _CASES.decode(cases)
        if _is_open_case(case) and (word := listed.get((case.type or "").lower(), "effect")) is not None
    }
    return "Liquidation" if "Liquidation" in words else min(words, default=None)


def _is_open_case(case: _StoredCase) -> bool:
    return not _BEGUN.isdisjoint(case.dates) and _ENDED.isdisjoint(case.dates)
