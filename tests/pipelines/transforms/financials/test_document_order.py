"""In which order the documents of one period were filed, as far as their days, marks and numbers tell."""

from __future__ import annotations

from datetime import date
from itertools import permutations
from typing import Any

import polars as pl

from pipelines.transforms.financials.versions import build_financial_versions
from tests.pipelines.frames import DAY_1, DAY_2, DAY_3, filing, frame, statement
from tests.tables import check_cases
from warehouse.schema.tables import FILINGS, FINANCIALS, FINANCIALS_REPORTED

# native id, revenue, document, in the order in which they are read
Document = tuple[str, int, dict[str, Any]]


def read(documents: list[Document], former: pl.DataFrame | None = None) -> pl.DataFrame:
    return build_financial_versions(
        frame(
            FINANCIALS_REPORTED, *(statement(name, revenue=revenue, **seen(one)) for name, revenue, one in documents)
        ),
        frame(FILINGS, *(filing(name, **one) for name, _, one in documents)),
        frame(FINANCIALS) if former is None else former,
    )


def seen(document: dict[str, Any]) -> dict[str, Any]:
    return {name: document[name] for name in ("observed_at", "register") if name in document}


def read_one_by_one(documents: list[Document]) -> list[int]:
    """Revenue of each version after the documents were read one after the other."""
    rows = frame(FINANCIALS)
    for place in range(len(documents)):
        rows = read(documents[: place + 1], rows)
    return rows["revenue"].to_list()


AMENDMENT = {"is_amendment": True}
MARCH, MAY = ({"filed_at": date(2025, month, 1)} for month in (3, 5))


@check_cases(
    "documents",
    [
        [("b", 90, AMENDMENT | {"observed_at": DAY_1}), ("a", 100, {"observed_at": DAY_2})],
        [("a", 90, AMENDMENT | {"observed_at": DAY_1}), ("b", 100, {"observed_at": DAY_1})],
        [("b", 90, AMENDMENT | MARCH), ("a", 100, MARCH)],
        [("b", 90, AMENDMENT | MAY), ("a", 100, {"observed_at": DAY_3})],
        [("b", 90, AMENDMENT | MAY), ("a", 100, {"observed_at": DAY_3, "register": "xx.owners"})],
    ],
)
def test_amendment_follows_what_no_filing_day_shows_to_be_later(documents: list[Document]) -> None:
    for order in permutations(documents):
        assert read_one_by_one(list(order)) == read(list(order))["revenue"].to_list() == [100, 90]


def test_document_filed_after_an_amendment_is_the_later_version() -> None:
    assert read_one_by_one([("a", 90, AMENDMENT | MARCH), ("b", 100, MAY)]) == [90, 100]
    known_earlier = ("a", 90, AMENDMENT | {"observed_at": DAY_1})
    assert read_one_by_one([known_earlier, ("b", 100, {"filed_at": date(2026, 1, 2)})]) == [90, 100]


def test_undated_document_precedes_a_filed_one_with_a_later_number_of_its_register() -> None:
    first, second = ("2024000001", 100, {"observed_at": DAY_3}), ("2024000002", 90, MARCH)
    for order in permutations([first, second]):
        assert read_one_by_one(list(order)) == read(list(order))["revenue"].to_list() == [100, 90]
    one, other = ("999:SELSKAP", 100, {"observed_at": DAY_3}), ("1000:SELSKAP", 90, MARCH)
    assert read([one, other])["revenue"].to_list() == [100, 90]
    # letters of ids tell nothing, and numbers of two registers do not compare: the day it was seen is all that is known
    elsewhere = ("2024000001", 100, {"observed_at": DAY_3, "register": "xx.owners"})
    for undated, dated in ((elsewhere, second), (("MzA1", 100, {"observed_at": DAY_3}), ("MzQ2", 90, MARCH))):
        assert read([undated, dated])["revenue"].to_list() == [90, 100]


def test_filing_day_that_becomes_known_leaves_the_order_of_known_versions() -> None:
    undated = [("a", 100, {}), ("b", 90, {"register": "xx.owners"})]
    before = read(undated)
    dated = [undated[0], ("b", 90, MARCH | {"register": "xx.owners"})]
    assert before["revenue"].to_list() == read(dated, before)["revenue"].to_list() == [100, 90]


def test_other_figures_are_the_later_version_though_the_filing_day_became_known_with_them() -> None:
    before = read([("a", 100, {})])
    after = read([("a", 90, {"filed_at": date(2025, 12, 1)})], before)
    assert after.select("revenue", "filed_at", "is_current").rows() == [
        (100, None, False),
        (90, date(2025, 12, 1), True),
    ]
    again = read([("a", 80, {"filed_at": date(2025, 6, 1)})], after)
    assert again["revenue"].to_list() == [100, 90, 80]


def test_comparatives_of_the_newest_accounts_hold_when_older_ones_are_read_again() -> None:
    prior = {"period_start": date(2023, 1, 1), "period_end": date(2023, 12, 31), "is_comparative": True}
    for read_at in (DAY_1, DAY_3):
        older = statement("b", date(2024, 12, 31), revenue=20, observed_at=read_at)
        newer = statement("c", revenue=30, observed_at=DAY_1)
        statements = [older, {**older, **prior, "revenue": 11}, newer, {**newer, **prior, "revenue": 12}]
        filings = frame(FILINGS, filing("b", date(2024, 12, 31)), filing("c"))
        result = build_financial_versions(frame(FINANCIALS_REPORTED, *statements), filings, frame(FINANCIALS))
        assert result["revenue"].to_list() == [12, 20, 30]
