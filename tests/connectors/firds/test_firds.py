"""FIRDS by hand: records to rows, rows to lines; what is missing once has not gone; hostile files."""

from __future__ import annotations

import io
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given as over
from hypothesis import settings
from hypothesis import strategies as st

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Dataset,
    NotApplicable,
    RecognisedFile,
    Scope,
    UnreadableFileError,
)
from connectors.firds import schema as f
from connectors.firds.dataset import ESMA, firds_datasets
from connectors.firds.listings import firds_listings
from connectors.kit import staging
from tests.connectors.firds.firds_files import ISSUER, SHARE, Line, delta, full, packed, whole_name
from tests.connectors.gleif.gleif_bodies import lei
from tests.tables import check_cases

WHOLE, DAILY = firds_datasets("SE", ESMA)
SATURDAY = date(2026, 1, 3)
WEEK = timedelta(days=7)
COMPANY = "firm:SE:5560000001"
_META = {"_observed_at": pl.Datetime("us", "UTC"), "_retired_at": pl.Datetime("us", "UTC")}


def read(dataset: Dataset, body: bytes, name: str) -> list[Batch]:
    at = datetime.combine(SATURDAY, time(), UTC)
    sent = ArchiveMember(dataset.key, name, "sha", at, Scope.FULL, "b", lambda: io.BytesIO(body))
    return [batch for piece in dataset.split_members(sent) for batch in dataset.read_batches(piece)]


def rows(dataset: Dataset, body: bytes, name: str) -> list[dict[str, Any]]:
    return [row for batch in read(dataset, body, name) for row in batch.rows.to_dicts()]


@pytest.mark.parametrize("message", ["auth.017.001.02", "auth.017.001.03"])
def test_a_whole_file_to_rows_whatever_its_namespace(message: str) -> None:
    name = whole_name(SATURDAY)
    (row,) = rows(WHOLE, packed(full(Line(), message=message), name), name)
    assert row == {
        "isin": SHARE,
        "mic": "XSTO",
        "lei": ISSUER,
        "cfi": "ESVUFR",
        "name": "Exempel & Son AB",
        "currency": "SEK",
        "is_requested": True,
        "approved_on": None,
        "first_traded": date(2001, 1, 2),
        "ends_on": None,  # the far future is no end
        "record": "full",
        "edition": SATURDAY,
    }


@check_cases(
    ("line", "is_kept"),
    [
        (Line(cfi="ESVUFR"), True),
        (Line(cfi="EPNXXR"), True),
        (Line(cfi="EDSXFR"), True),
        (Line(cfi="EFXXXX"), True),
        (Line(cfi="ECXXXX"), True),
        (Line(cfi="EUXXXX"), False),  # units of funds
        (Line(cfi="DBFTFB"), False),
        (Line(cfi="RWXXXX"), False),
        (Line(asked="false"), False),  # a platform trades it unasked
    ],
)
def test_equities_that_the_issuer_had_admitted_are_kept(line: Line, is_kept: bool) -> None:
    assert len(rows(WHOLE, full(line), whole_name(SATURDAY))) == is_kept


def test_one_record_per_isin_and_venue() -> None:
    made = rows(WHOLE, full(Line(), Line(mic="FNSE"), Line(name="Again AB")), whole_name(SATURDAY))
    assert [(row["mic"], row["name"]) for row in made] == [("FNSE", "Exempel & Son AB"), ("XSTO", "Again AB")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (Line(isin="SE0000108657"), "no ISIN"),
        (Line(lei="549300"), "no LEI"),
        (Line(mic="X"), "no code of a venue"),
        (Line(cfi=None), "no classification"),
        (Line(cfi="esvufr"), "no classification"),
    ],
)
def test_a_bad_record_is_refused_alone(line: Line, reason: str) -> None:
    (batch,) = read(WHOLE, full(line, Line()), whole_name(SATURDAY))
    assert batch.rows.height == 1
    assert batch.rejects["reason"][0].startswith(reason)


def test_record_of_several_venues_is_a_line_on_each() -> None:
    again = b"<TradgVnRltdAttrbts><Id>XHEL</Id><IssrReq>true</IssrReq></TradgVnRltdAttrbts><TechAttrbts>"
    for dataset, body, name in (
        (WHOLE, full(Line()), whole_name(SATURDAY)),
        (DAILY, delta(Line()), "DLTINS_20260103_01of01.zip"),
    ):
        found = rows(dataset, packed(body.replace(b"<TechAttrbts>", again), name), name)
        assert [(row["mic"], row["first_traded"]) for row in found] == [("XSTO", date(2001, 1, 2)), ("XHEL", None)]


@check_cases(
    ("element", "path"),
    [
        (f"<Issr>{lei('B')}</Issr>", "Issr"),
        ("<FinInstrmGnlAttrbts><Id>NO0010096985</Id></FinInstrmGnlAttrbts>", "FinInstrmGnlAttrbts/Id"),
    ],
)
def test_record_that_states_one_value_twice_and_differently_is_refused(element: str, path: str) -> None:
    name = whole_name(SATURDAY)
    body = full(Line()).replace(b"<TechAttrbts>", element.encode() + b"<TechAttrbts>")
    [batch] = read(WHOLE, packed(body, name), name)
    assert (batch.rows.height, batch.rejects["reason"].to_list()) == (0, [f"several values of {path}"])


def test_name_stated_in_two_ways_is_null_and_the_line_stays() -> None:
    name = whole_name(SATURDAY)
    body = full(Line()).replace(b"<ShrtNm>", b"<FullNm>Example Ltd</FullNm><ShrtNm>")
    [row] = rows(WHOLE, packed(body, name), name)
    assert (row["mic"], row["name"]) == ("XSTO", None)


def test_days_that_do_not_read_are_told() -> None:
    (batch,) = read(WHOLE, full(Line(first="soon", asked="true")), whole_name(SATURDAY))
    assert [(signal.code, signal.subject) for signal in batch.signals] == [("unreadable_value", "FrstTradDt soon")]
    assert batch.rows["first_traded"].to_list() == [None]


@check_cases(
    ("line", "code", "subject"),
    [
        (Line(asked="TRUE"), "unreadable_value", "IssrReq TRUE"),
        (Line(asked=None), "missing_value", "IssrReq"),
        (Line(first="0001-01-01T00:00:00Z"), "unreadable_value", "FrstTradDt 0001-01-01T00:00:00Z"),
        (Line(ends="1999-12-31T00:00:00Z"), "contradicting_days", "TermntnDt before FrstTradDt"),
    ],
)
def test_what_a_record_leaves_open_is_null_and_told(line: Line, code: str, subject: str) -> None:
    (batch,) = read(WHOLE, full(line), whole_name(SATURDAY))
    (row,) = batch.rows.to_dicts()
    assert [(signal.code, signal.subject) for signal in batch.signals] == [(code, subject)]
    assert (row["is_requested"] is None) == subject.startswith("IssrReq")
    assert (row["first_traded"] is None) == (not subject.startswith("IssrReq"))
    assert row["ends_on"] is None


def test_two_issuers_of_one_line_are_none() -> None:
    (batch,) = read(WHOLE, full(Line(), Line(lei=lei("B")), Line(mic="FNSE")), whole_name(SATURDAY))
    assert batch.rows["mic"].to_list() == ["FNSE"]
    assert [(signal.code, signal.subject) for signal in batch.signals] == [
        ("several_issuers", "Issr of one instrument")
    ]


def test_changes_are_kept_whoever_asked_for_them() -> None:
    body = delta(
        Line(kind="NewRcrd"),
        Line(kind="ModfdRcrd", mic="FNSE", asked="false"),
        Line(kind="TermntdRcrd", mic="XNGM", ends="2026-01-02T17:00:00Z"),
        Line(kind="CancRcrd", mic="NSME"),
        Line(kind="NewRcrd", cfi="DBFTFB", mic="XOSL"),
    )
    made = rows(DAILY, body, "DLTINS_20260105_01of01.zip")
    assert {(row["mic"], row["record"], row["is_requested"]) for row in made} == {
        ("XSTO", "new", True),
        ("FNSE", "modified", False),
        ("XNGM", "terminated", True),
        ("NSME", "cancelled", True),
    }
    assert {row["edition"] for row in made} == {date(2026, 1, 5)}


def test_whole_files_go_by_turns() -> None:
    names = [read(WHOLE, full(Line()), whole_name(SATURDAY + place * WEEK))[0].table for place in range(60)]
    assert set(names) == {"se_firds_even", "se_firds_odd"}
    assert all(one != other for one, other in pairwise(names))


# --- lines ------------------------------------------------------------------------------------------------------


class Register:
    """Present rows of one company as whole files and changes leave them, one after another."""

    def __init__(self) -> None:
        self.tables: dict[str, list[dict[str, Any]]] = {}

    def whole(self, day: date, *given: Line) -> Register:
        table = f.full_table("SE", day).name
        made = rows(WHOLE, full(*given), whole_name(day)) if given else []
        keys = {(row["isin"], row["mic"]) for row in made}
        for row in self.tables.setdefault(table, []):
            gone = (row["isin"], row["mic"]) not in keys and row["_retired_at"] is None
            row["_retired_at"] = datetime.combine(day, time(), UTC) if gone else row["_retired_at"]
        self._put(table, made, day)
        return self

    def change(self, day: date, *given: Line) -> Register:
        self._put("se_firds_change", rows(DAILY, delta(*given), f"DLTINS_{day:%Y%m%d}_01of01.zip"), day)
        return self

    def _put(self, table: str, made: list[dict[str, Any]], day: date) -> None:
        held = {(row["isin"], row["mic"]): row for row in self.tables.get(table, [])}
        for row in made:
            meta = {"_observed_at": datetime.combine(day, time(), UTC), "_retired_at": None}
            held[row["isin"], row["mic"]] = row | meta
        self.tables[table] = list(held.values())

    def lines(self) -> dict[str, Any]:
        present = {
            name: pl.DataFrame(
                made, schema={**{c.name: staging.TYPES[c.kind] for c in f.COLUMNS}, **_META}, orient="row"
            )
            .lazy()
            .with_columns(_company_id=pl.lit(COMPANY), _raw=pl.lit("raw"))
            for name, made in self.tables.items()
        }
        return {row["mic"]: row["ended_on"] for row in firds_listings("SE", present).collect().to_dicts()}


def test_a_line_stands_while_files_have_it() -> None:
    made = Register().whole(SATURDAY, Line()).whole(SATURDAY + WEEK, Line())
    assert made.lines() == {"XSTO": None}


def test_one_missing_file_ends_nothing_two_running_do() -> None:
    made = Register().whole(SATURDAY, Line()).whole(SATURDAY + WEEK, Line())
    assert made.whole(SATURDAY + 2 * WEEK).lines() == {"XSTO": None}
    assert made.whole(SATURDAY + 3 * WEEK).lines() == {"XSTO": SATURDAY + 3 * WEEK}


def test_who_was_missing_once_and_is_back_was_never_gone() -> None:
    made = Register().whole(SATURDAY, Line()).whole(SATURDAY + WEEK, Line()).whole(SATURDAY + 2 * WEEK)
    made = made.whole(SATURDAY + 3 * WEEK, Line())
    assert made.lines() == {"XSTO": None}
    assert made.whole(SATURDAY + 4 * WEEK, Line()).lines() == {"XSTO": None}


def test_a_turn_that_was_passed_over_keeps_nobody_alive() -> None:
    made = Register().whole(SATURDAY, Line()).whole(SATURDAY + WEEK, Line())
    made = made.whole(SATURDAY + 6 * WEEK)
    assert made.lines() == {"XSTO": SATURDAY + 6 * WEEK}


def test_a_line_seen_in_a_single_file_ends_with_its_own_turn() -> None:
    made = Register().whole(SATURDAY, Line()).whole(SATURDAY + WEEK)
    assert made.lines() == {"XSTO": None}
    assert made.whole(SATURDAY + 2 * WEEK).lines() == {"XSTO": SATURDAY + 2 * WEEK}


@pytest.mark.parametrize(
    ("ends", "ended"),
    [("2026-01-06T17:00:00Z", date(2026, 1, 6)), (None, date(2026, 1, 8)), ("9999-12-31", date(2026, 1, 8))],
)
def test_a_termination_ends_a_line_at_once(ends: str | None, ended: date) -> None:
    made = Register().whole(SATURDAY, Line()).change(date(2026, 1, 8), Line(kind="TermntdRcrd", ends=ends))
    assert made.lines() == {"XSTO": ended}


def test_an_older_change_is_overtaken_by_a_newer_whole_file() -> None:
    made = Register().change(date(2026, 1, 2), Line(kind="TermntdRcrd")).whole(SATURDAY, Line())
    assert made.lines() == {"XSTO": None}


def test_of_one_day_the_change_holds() -> None:
    made = Register().whole(SATURDAY, Line()).change(SATURDAY, Line(kind="TermntdRcrd", ends=None))
    assert made.lines() == {"XSTO": SATURDAY}


def test_a_request_that_was_withdrawn_ends_a_line() -> None:
    made = Register().whole(SATURDAY, Line()).change(date(2026, 1, 7), Line(asked="false"))
    assert made.lines() == {"XSTO": date(2026, 1, 7)}


def test_a_change_keeps_no_line_alive_that_left_the_whole_files_since() -> None:
    made = Register().whole(SATURDAY, Line()).whole(SATURDAY + WEEK, Line())
    made = made.change(SATURDAY + WEEK + timedelta(days=3), Line(kind="ModfdRcrd"))
    assert made.whole(SATURDAY + 2 * WEEK).lines() == {"XSTO": None}
    assert made.whole(SATURDAY + 3 * WEEK).lines() == {"XSTO": SATURDAY + 3 * WEEK}
    again = made.change(SATURDAY + 3 * WEEK + timedelta(days=3), Line(kind="NewRcrd"))
    assert again.lines() == {"XSTO": None}  # admitted anew


def test_a_line_that_is_new_between_two_whole_files_counts() -> None:
    assert Register().change(date(2026, 1, 7), Line(kind="NewRcrd")).lines() == {"XSTO": None}


# --- files ------------------------------------------------------------------------------------------------------


@check_cases(
    ("name", "body", "due"),
    [
        ("firds/FULINS_E_20260103_01of02.zip", packed(full(), "a.zip"), WHOLE),
        ("firds/FULINS_E_20260103_02of02.xml", full(), WHOLE),
        ("firds/DLTINS_20260105_01of01.zip", packed(delta(), "a.zip"), DAILY),
        ("firds/FULINS_D_20260103_01of02.zip", packed(full(), "a.zip"), None),
        ("firds/FULCAN_20260103_01of01.zip", packed(full(), "a.zip"), None),
        ("firds/FULINS_E_20260103_01of02.zip", b"<!DOCTYPE html><html></html>", None),
        ("firds/FULINS_E_20260199_01of02.zip", packed(full(), "a.zip"), WHOLE),
        ("firds/list.json", b'{"response": {}}', None),
    ],
)
def test_which_file_is_whose(name: str, body: bytes, due: Dataset | None) -> None:
    for dataset in (WHOLE, DAILY):
        said = dataset.recognise_file(name, body[:65_536])
        assert isinstance(said, RecognisedFile) == (dataset is due), said
        if isinstance(said, RecognisedFile) and "0199" not in name:
            assert said.observed_at is not None
            assert said.scope == (Scope.FULL if due is WHOLE else Scope.FEED)


@check_cases(
    ("names", "is_whole"),
    [
        (["FULINS_E_20260103_01of02.zip", "FULINS_E_20260103_02of02.zip"], True),
        (["FULINS_E_20260103_01of01.zip"], True),
        (["FULINS_E_20260103_01of02.zip"], False),
        (["FULINS_E_20260103_02of02.zip"], False),
        (["FULINS_E_20260103_01of02.zip", "FULINS_E_20260110_02of02.zip"], False),
        (["FULINS_E_20260103_01of02.zip", "FULINS_E_20260103_02of03.zip"], False),
        (["FULINS_E_20260103_01of01.zip", "FULINS_E_20260110_01of02.zip"], False),
        (["FULINS_E_20260103_01of00.zip"], False),
        (["se/firds/other.zip"], False),
        ([], False),
    ],
)
def test_a_set_is_whole_with_all_its_parts(names: list[str], is_whole: bool) -> None:
    assert WHOLE.is_complete_set is not None
    assert WHOLE.is_complete_set(names) is is_whole


@check_cases(
    "body",
    [
        b"<html><body>200</body></html>",
        full(Line())[:-30],
        b"",
        full(),  # a file of no record is no file of theirs
        b'<!DOCTYPE a [<!ENTITY a "' + b"x" * 1000 + b'">]><BizData>' + b"&a;" * 1000,
    ],
)
def test_other_bodies_are_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        read(WHOLE, body, whole_name(SATURDAY))


def test_entities_are_not_expanded() -> None:
    body = full(Line(name="Nobody")).replace(
        b'<?xml version="1.0" encoding="UTF-8"?>',
        b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY file SYSTEM "file:///etc/passwd">]>',
    )
    (row,) = rows(WHOLE, body.replace(b"Nobody", b"&file;"), whole_name(SATURDAY))
    assert row["name"] is None


@over(st.binary(max_size=300))
@settings(max_examples=60)
def test_any_bytes_read_or_are_unreadable(body: bytes) -> None:
    for sent in (body, full(Line()).replace(b"</Issr>", body[:40] + b"</Issr>")):
        with suppress(UnreadableFileError):
            read(WHOLE, sent, whole_name(SATURDAY))


def test_the_genuine_list_of_files_is_named_with_its_reason(sources: Path) -> None:
    for path in sorted((sources / "news" / "esma_firds").iterdir()):
        for dataset in (WHOLE, DAILY):
            said = dataset.recognise_file(f"esma_firds/{path.name}", path.read_bytes()[:65_536])
            assert isinstance(said, NotApplicable)
            assert "lists of files" in said.reason
