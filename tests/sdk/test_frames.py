"""Rows as frames: the columns of the API, with their types also where nothing is known."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from firmdata import frames, models
from firmdata.calls import ApiCall

SOURCE = {"register": "brreg", "native_id": "1", "url": None, "as_of": None, "pct": None}
OWNER: dict[str, Any] = dict.fromkeys(models.Owner.model_fields) | {
    "holder_id": "own_1",
    "holder_name": "Kari",
    "holder_type": "person",
    "basis": "shares",
    "reconciliation": "single",
    "as_of": "2026-01-01",
    "first_seen": "2026-01-01",
    "sources": [SOURCE],
}


def owner(**known: Any) -> models.Owner:
    return models.Owner.model_validate(OWNER | known)


def test_frame_has_the_types_of_its_columns_where_no_row_knows_a_value() -> None:
    unknown = frames.to_polars([owner()], models.Owner)
    assert unknown.schema["pct"] == pl.Float64
    known = frames.to_polars([owner(pct=50.5)], models.Owner)
    joined = pl.concat([unknown.select("pct"), known.select("pct")])
    assert joined["pct"].to_list() == [None, 50.5]


def test_frame_has_the_types_of_lists_and_objects_in_which_no_row_knows_a_value() -> None:
    empty, unknown = (frames.to_polars([owner(sources=one)], models.Owner) for one in ([], [SOURCE]))
    known = frames.to_polars([owner(sources=[SOURCE | {"url": "https://x", "pct": 5.5, "new": 1}])], models.Owner)
    joined = pl.concat([empty, unknown])
    assert [len(sources) for sources in joined["sources"]] == [0, 1]
    assert known["sources"].to_list()[0][0]["new"] == 1, "a member of a later version"
    plain = frames.to_polars([owner(sources=[SOURCE | {"url": "https://x", "pct": 5.5}])], models.Owner)
    assert pl.concat([joined, plain])["sources"].to_list()[-1][0]["pct"] == 5.5


def test_frame_of_a_list_without_rows_has_its_columns() -> None:
    empty = frames.to_polars([], models.Owner)
    assert empty.height == 0
    assert empty.columns == list(models.Owner.model_fields)
    assert empty.schema["pct"] == pl.Float64


def test_frame_names_members_as_the_api_does() -> None:
    [sources] = frames.to_polars([owner()], models.Owner)["sources"].to_list()
    assert sources[0].keys() == SOURCE.keys()


def test_frame_of_pandas_has_its_columns_without_rows() -> None:
    pytest.importorskip("pandas")
    assert list(frames.to_pandas([], models.Owner).columns) == list(models.Owner.model_fields)
    assert frames.to_pandas([owner(pct=50.5)], models.Owner)["pct"].to_list() == [50.5]


def test_frame_of_pandas_has_integers_exactly_beside_unknown_ones() -> None:
    """A number of 64 bits holds more digits than a float: `revenue` is one, and null where it is not stated."""
    pytest.importorskip("pandas")
    rows = [{"revenue": 2**53 + 1, "pct": 50.0}, {"revenue": None, "pct": None}, {"revenue": -(2**63), "pct": 0.5}]
    frame = frames.to_pandas(rows)
    assert frame["revenue"].dtype == "Int64"
    assert frame["revenue"].dropna().to_list() == [2**53 + 1, -(2**63)]
    assert frame["pct"].dropna().to_list() == [50.0, 0.5]
    assert frame["revenue"].isna().to_list() == [False, True, False]
    assert frames.to_pandas(rows[:1])["pct"].dtype == "Float64", "whole by chance"


@pytest.mark.parametrize(
    ("answer", "member"),
    [(models.OwnershipList, "holder_id"), (models.CompanyList, "org_number"), (models.EventList, "sequence")],
)
def test_call_of_a_list_names_the_type_of_its_rows(answer: Any, member: str) -> None:
    row_type = ApiCall("GET", "/", answer).row_type
    assert member in frames.to_polars([], row_type).columns


def test_call_of_another_answer_has_no_rows() -> None:
    assert ApiCall("GET", "/", models.Company).row_type is None
    assert frames.to_polars([]).columns == []
