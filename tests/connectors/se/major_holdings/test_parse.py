"""What a notice of a Swedish issuer says: wordings in both languages, and those that leave it open."""

from __future__ import annotations

import csv
import json
import time
from contextlib import suppress
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.nasdaq.major_holdings import text as shapes
from connectors.nasdaq.major_holdings.form import FlaggingNotification
from connectors.nasdaq.major_holdings.form_row import NotFlaggingFormError, PercentageLevel
from connectors.nasdaq.major_holdings.sentences import parse_notification
from connectors.se.major_holdings.parse import LONGEST, parse_notice
from tests.tables import check_cases

ISSUER: Final = "Exempel Holding AB"
HOLDER: Final = "Påhitt Kapital AB"


def read(text: str, author: str | None = ISSUER) -> FlaggingNotification:
    return parse_notice(shapes.tables_to_cells(text), author)


def said(text: str, author: str | None = ISSUER) -> tuple[str | None, str | None]:
    """Shares and votes as `5.02`, `>10` or `<5`."""
    held = read(text, author).now.shares_and_votes
    assert held is not None
    return shown(held.shares), shown(held.votes)


def shown(level: PercentageLevel | None) -> str | None:
    if level is None:
        return None
    marks = (("", level.exact), (">", level.above), ("<", level.below))
    return "".join(f"{mark}{value.normalize():f}" for mark, value in marks if value is not None)


RECEIVED: Final = f"{ISSUER} (publ) har mottagit ett flaggningsmeddelande från {HOLDER}."
NOTIFIED: Final = f"{ISSUER} (publ) has received a flagging notification from {HOLDER}."

HERE: Final = Path(__file__).parent


def _rows(name: str) -> list[list[str]]:
    """Lines of a table; in a text `\\n` is a line's end, and words in braces stand for what all texts share."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    words = {"issuer": ISSUER, "holder": HOLDER, "received": RECEIVED, "notified": NOTIFIED}
    return [[*line[:-1], line[-1].replace("\\n", "\n").format_map(words)] for line in lines]


WORDINGS: Final = _rows("notice_wordings.tsv")  # name, shares, votes, text
# what has two readings, or none, has no percentages: the reason that is told, the text
OPEN: Final = _rows("notice_refused.tsv")


@check_cases(("shares", "votes", "text"), [row[1:] for row in WORDINGS], ids=[row[0] for row in WORDINGS])
def test_what_is_held(shares: str, votes: str, text: str) -> None:
    assert said(text) == (shares or None, votes or None)
    assert read(text).holder == HOLDER


def test_there_are_wordings_enough_in_both_languages() -> None:
    assert len(WORDINGS) >= 25
    assert sum("holding" in text or "After the" in text for *_, text in WORDINGS) >= 8


@check_cases(("reason", "text"), OPEN, ids=[text[-60:] for _, text in OPEN])
def test_what_the_text_leaves_open_is_no_figure(reason: str, text: str) -> None:
    with pytest.raises(NotFlaggingFormError, match=reason):
        read(text)


@check_cases(
    ("text", "day"),
    [
        ("har den 3 mars 2026 informerat bolaget. Transaktionen genomfördes den 2 mars 2026.", date(2026, 3, 2)),
        ("notified on 4 March 2026 that it sold shares on 3 March 2026.", date(2026, 3, 3)),
        ("notified the company on March 4, 2026.", None),
        ("passerade gränsen 2026-03-02.", date(2026, 3, 2)),
        ("passerade gränsen den 2 mars 2026. Försäljningen skedde den 3 mars 2026.", None),
        ("passerade gränsen den 31 februari 2026.", None),
    ],
)
def test_the_day_is_that_of_the_move(text: str, day: date | None) -> None:
    assert read(f"{HOLDER} har ökat sitt innehav till 5,3 procent av aktierna. Påhitt Kapital AB {text}").day == day


def test_the_notice_before_is_told_where_the_text_has_it() -> None:
    before = read(WORDINGS[4][-1]).before
    assert before is not None
    assert before.shares_and_votes is not None
    assert (shown(before.shares_and_votes.shares), shown(before.shares_and_votes.votes)) == ("10.1", "9.4")


@check_cases(
    ("text", "holder"),
    [
        (f"{ISSUER} meddelar att BlackRock, Inc. har ökat sitt innehav till 5,3 procent av aktierna.", "BlackRock, Inc."),
        (f"Storägaren Ada Exempel ökar till 5,3 procent av aktierna i {ISSUER}.", "Ada Exempel"),
        ("Den 3 mars 2026 har Didner & Gerge Fonder AB ökat sitt innehav till 5,3 procent av aktierna.", "Didner & Gerge Fonder AB"),
        (f"Holder: 197001011234 Ada Exempel\nShare of capital after the transaction: 5.3%\n{NOTIFIED}", "Ada Exempel"),
        (f"AMF flaggar i {ISSUER}\nAMF Tjänstepension AB har ökat sitt innehav till 5,3 procent av aktierna.", "AMF Tjänstepension AB"),
    ],
)  # fmt: skip
def test_who_holds(text: str, holder: str) -> None:
    found = read(text)
    assert found.holder == holder


def test_of_another_issuer_the_text_names_it() -> None:
    """By its page alone nobody knows whose release it is: the mapping compares."""
    found = read(f"{ISSUER} har ökat sitt innehav i Annat Bolag AB till 10,2 procent av aktierna.", author=None)
    assert (found.holder, found.issuer) == (ISSUER, "Annat Bolag AB")


@pytest.mark.sources
def test_genuine_notices_of_neighbours_are_read_alike_or_refused(sources: Path) -> None:
    """Finnish ones in their supervisor's form as Finland reads them; of Oslo's what its text tells, nothing else."""
    copies = sources / "fi" / "flagging_text" / "fi_flagging_release_text_excerpts.jsonl"
    for text in (shapes.tables_to_cells(json.loads(line)["text"]) for line in copies.read_text("utf-8").splitlines()):
        with suppress(NotFlaggingFormError):
            due = parse_notification(text)
            found = parse_notice(text)
            assert (found.holder, found.day, found.now) == (due.holder, due.day, due.now)
    told = {}
    for line in (sources / "no" / "newsweb_notices" / "notices.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        if "flagg" in " ".join(one["categories"]).casefold():
            with suppress(NotFlaggingFormError):
                told[one["messageId"]] = parse_notice(shapes.tables_to_cells(one["bodyText"]), one["issuerName"])
    assert [(found.holder, found.day) for found in told.values()] == [("Handelsbanken Fonder AB", date(2026, 6, 4))]


def test_a_longer_text_than_any_notice_is_not_read() -> None:
    with pytest.raises(NotFlaggingFormError, match="characters"):
        read("5 procent av aktierna " * LONGEST)


_PIECES: Final = (
    "Påhitt Kapital AB", ISSUER, "har", "has", "ökat", "minskat", "till", "från", "from", "to", "5,02", "10.1", "66 2/3", "procent", "%",
    "av", "of", "aktierna", "the votes", "och", "and", "respektive", "respectively", "överstiger", "below", "Innehavet uppgår till",
    "Efter transaktionen", "Före transaktionen", "|", ":", "\n", ".", " (publ)", "den 3 mars 2026", "2026-03-03", "5-procentsgränsen",
    "Resulting situation on the date on which threshold was crossed", "Instrument |", "Transaction | |", "'s holding", ",", "(", ")",
)  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=6)), max_size=60))
@settings(max_examples=150)
def test_any_text_is_read_or_refused_and_soon(pieces: list[str]) -> None:
    text = " ".join(pieces)
    try:
        found = read(text)
    except NotFlaggingFormError:
        return
    assert found.holder
    held = found.now.shares_and_votes
    levels = [] if held is None else [held.shares, held.votes]
    values = [
        value for level in levels if level for value in (level.exact, level.above, level.below) if value is not None
    ]
    assert all(Decimal(0) <= value <= Decimal(100) for value in values)


@check_cases(
    "piece",
    [
        "A",
        "A ",
        "5 procent av ",
        "har ",
        "uppgår x ",
        "| ",
        "(",
        "Aa Aa, ",
        "från ",
        "1 ",
        "den 3 mars 2026 ",
        "av det ",
        "5, 10, ",
    ],
)
def test_repetition_costs_no_more_than_its_length(piece: str) -> None:
    """Whatever repeats up to the longest text is read in a moment: no pattern goes back without bound."""
    text = (piece * LONGEST)[: LONGEST - 1]
    with pytest.raises(NotFlaggingFormError):
        _soon(text)


def _soon(text: str) -> None:
    began = time.process_time()
    try:
        read(text)
    finally:
        assert time.process_time() - began < 1.5
