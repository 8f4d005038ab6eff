"""Ownership files that somebody broke, or made to break the reader: refused or told, never worse."""

import random
from contextlib import suppress

import pytest

from connectors.contract.dataset import Dataset, UnreadableFileError
from connectors.us.ownership.schedule13 import parse_text
from tests.connectors.us.holder_files import (
    INSIDERS,
    MANAGERS,
    STAKES,
    cover_13f,
    filing,
    form4,
    line,
    owner,
    person_d,
    person_g,
    position,
    read,
    rows,
    schedule_d,
    schedule_g,
    table_13f,
)
from tests.connectors.us.ownership.schedule13.test_parse_text import COVER, page
from tests.tables import check_cases

WHOLE = {
    "13D": (STAKES, schedule_d(person_d("A", "9"), person_d("B", "9"))),
    "13G": (STAKES, schedule_g(person_g("A", "9"))),
    "text": (STAKES, filing("SC 13G", ("SC 13G", COVER + page("9.9%") + page("9.9%", "B")))),
    "page": (STAKES, "<html><body>" + (COVER + page("9.9%")).replace("\n", "<br>") + "</body></html>"),
    "form": (INSIDERS, form4(line("400"), line("1", nature="By Trust"), owners=owner("A", "0000000011"))),
    "report": (MANAGERS, filing("13F-HR", ("13F-HR", cover_13f()), ("INFORMATION TABLE", table_13f(position())))),
}


@check_cases("kind", WHOLE)
def test_broken_files_are_refused_or_read_and_raise_nothing_else(kind: str) -> None:
    dataset, text = WHOLE[kind]
    chance = random.Random(13)
    body = text.encode()
    for _ in range(150):
        broken = bytearray(body)
        for _ in range(chance.randrange(1, 4)):
            start = chance.randrange(len(broken))
            broken[start : start + chance.randrange(40)] = chance.randbytes(chance.randrange(12))
        tried(dataset, bytes(broken[: chance.choice((len(broken), chance.randrange(1, len(broken))))]))


def tried(dataset: Dataset, body: bytes) -> None:
    dataset.recognise_file("us/x", body)
    with suppress(UnreadableFileError):
        read(dataset, body, "us/x.txt")


def test_deep_and_long_pages_are_read() -> None:
    deep = b"<html><body>" + b"<div>" * 50_000 + b"end"
    assert parse_text.document_line(deep) in ("", "end")
    assert len(parse_text.document_line(b"<p>" + b"NAME OF REPORTING PERSON " * 20_000)) > 400_000


def test_scripts_and_titles_are_no_text() -> None:
    assert parse_text.document_line(b"<html><title>a</title><script>b</script><p>c<sup>1</sup> d</p>") == "c (1) d"


def test_a_cut_table_is_refused() -> None:
    dataset, text = WHOLE["report"]
    with pytest.raises(UnreadableFileError):
        read(dataset, text[: text.index("</infoTable>")], "us/a.txt")


def test_numbers_that_no_column_holds() -> None:
    text = schedule_d(person_d("A", "9" * 40, "9" * 40), person_d("B", "-5"), person_d("C", "1e3", "-0.5"))
    found = rows(read(STAKES, text, "us/a.xml"), "us_schedule13")
    assert [row["percent"] for row in found] == [None, None, None]
    assert [row["shares"] for row in found] == [None, "100", "-0.5"]
