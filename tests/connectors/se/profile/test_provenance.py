"""Where a profile's fields come from: the text made of whole columns is the JSON that each row by itself would say."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.se.profile import postcodes, provenance

INSTANTS = [datetime(2026, 11, day, 6, 5, 4, tzinfo=UTC) for day in (14, 15, 16)]
SEEN = ("bulk_seen", "scb_seen", "answer_seen", "statistics_seen", "register_seen", "report_seen")
BASES = (None, "listed", "place", "county")
_row = st.tuples(*(st.sampled_from([None, None, *INSTANTS]) for _ in SEEN), st.sampled_from(BASES))


def frame(drawn: list[tuple[Any, ...]]) -> pl.DataFrame:
    instant = pl.Datetime("us", "UTC")
    seen = pl.DataFrame([row[:-1] for row in drawn], schema=dict.fromkeys(SEEN, instant), orient="row")
    basis = pl.Series(postcodes.BASIS, [row[-1] for row in drawn], pl.String)
    known = basis.is_not_null()
    return seen.with_columns(
        pl.Series("organisationsnummer", [str(5560000000 + place) for place in range(len(drawn))], pl.String),
        basis,
        pl.lit(None, pl.String).alias("seat_county"),
        pl.select(pl.when(known).then(pl.lit("01"))).to_series().alias(postcodes.COUNTY),
        pl.select(pl.when(known).then(pl.lit("11122"))).to_series().alias(postcodes.POSTCODE),
    )


def entries(number: int, drawn: tuple[Any, ...]) -> list[tuple[str, str, str]]:
    """Register, its own id and the instant, in the order in which they are told."""
    bulk, scb, answer, statistics, register, report, basis = drawn
    answered = max(filter(None, (answer, statistics)), default=None)
    last = max(filter(None, (bulk, scb, register, report, answered)), default=None)
    native = str(5560000000 + number)
    place = None if basis is None else "11122" if basis == "listed" else f"11122:{basis}"
    told = [
        ("se.bolagsverket", native, bulk),
        ("se.scb", native, scb),
        ("se.organisationer", native, answered),
        ("se.foretagsregister", native, register),
        ("se.arsredovisningar", native, report),
        ("se.postnummer", place, last),
    ]
    return [(name, own, f"{at:%Y-%m-%dT%H:%M:%SZ}") for name, own, at in told if own and at]


@settings(max_examples=100)
@given(st.lists(_row, max_size=12), st.integers(1, 5))
def test_each_company_has_the_registers_that_gave_something(drawn: list[tuple[Any, ...]], at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provenance, "STRETCH_ROWS", at_once)
        found = provenance.with_sources(frame(drawn))["sources"].to_list()
    for number, (text, row) in enumerate(zip(found, drawn, strict=True)):
        said = [(one["register"], one["native_id"], one["retrieved_at"]) for one in json.loads(text)]
        assert said == entries(number, row)
