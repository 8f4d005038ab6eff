"""Readers of news under damage: every body gives rows that fit, or is refused by name; never anything else."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import UnreadableFileError
from connectors.kit import staging
from tests.connectors.news.news_files import dataset, isin, mfn, mfn_item, read, release, rss, stock
from tests.connectors.news.test_news_cision import feed
from tests.connectors.news.test_news_cision import release as cision_release
from tests.connectors.news.test_news_storages import grid, listed, oam_row, view

HTML = (
    "<p>Exempel AB har mottagit ett flaggningsmeddelande från Påhitt Kapital AB.</p><table><tr><td></td><td>Andel av"
    " aktierna</td></tr><tr><td>Efter transaktionen</td><td>5,02 %</td></tr></table>"
)
NOTICE = mfn_item(1, content={"title": "Flaggningsmeddelande i Exempel AB", "html": HTML})
BODIES = {
    "se.mfn": [mfn(mfn_item(1), mfn_item(2))],
    "fi.wires": [rss(release(1, stock("Helsinki:X"), isin("FI0009000681")), release(2))],
    "fi.oam": [listed(oam_row(), oam_row("2")), view("549300A0JPRWG1KI7U06-2025-12-31-fi.zip")],
    "se.cision": [feed(cision_release(1), cision_release(2))],
    "se.flagging": [mfn(NOTICE, mfn_item(2)), b"<!DOCTYPE html><html><body>" + HTML.encode() + b"</body></html>"],
    "se.finanscentralen": [grid(("1", "2026-04-28 17:55", "Hemmedlemsstat", "Svenska", "Titel"))],
}
QUICK = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def fits(key: str, body: bytes) -> None:
    """Whatever the body: rows of the staged table with whole keys, or Unreadable."""
    made = dataset(key)
    made.recognise_file("x", body[:65536])
    batches = []
    with suppress(UnreadableFileError):  # whose message names dataset and file by its making
        batches = read(key, body)
    for batch in batches:
        table = made.staged_tables[batch.table]
        assert batch.rows.schema == staging.staged_schema(table)
        assert not batch.rows[table.key[0]].is_duplicated().any()
        for column in table.columns:
            assert column.nullable or batch.rows[column.name].null_count() == 0


@pytest.mark.parametrize("key", BODIES)
@QUICK
@given(data=st.data())
def test_damaged_bodies(key: str, data: st.DataObject) -> None:
    body = bytearray(data.draw(st.sampled_from(BODIES[key])))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(body) - 1))
        how = data.draw(st.sampled_from(["byte", "cut", "double", "drop"]))
        if how == "byte":
            body[place] = data.draw(st.integers(0, 255))
        elif how == "cut" and place:
            del body[place:]
        elif how == "double":
            body[place:place] = body[max(place - 40, 0) : place + 40]
        else:
            del body[place : place + data.draw(st.integers(1, 30))]
        if not body:
            break
    fits(key, bytes(body))


@pytest.mark.parametrize("key", BODIES)
@QUICK
@given(body=st.binary(max_size=300))
def test_any_bytes(key: str, body: bytes) -> None:
    fits(key, body)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PLACES = [
    ("news_id",), ("group_id",), ("url",), ("author",), ("author", "name"), ("author", "local_refs"), ("author", "isins"),
    ("author", "leis"), ("author", "tickers"), ("properties", "lang"), ("properties", "tags"), ("content",),
    ("content", "title"), ("content", "publish_date"),
]  # fmt: skip


@QUICK
@given(place=st.sampled_from(PLACES), value=VALUES)
def test_any_value_in_any_member_of_an_item(place: tuple[str, ...], value: Any) -> None:
    item = json.loads(json.dumps(mfn_item()))
    inside = item
    for name in place[:-1]:
        inside = inside[name]
    inside[place[-1]] = value
    fits("se.mfn", mfn(item, mfn_item(2)))


@QUICK
@given(
    name=st.sampled_from(
        ["title", "link", "guid", "pubDate", "dc:identifier", "dc:language", "dc:contributor", "description"]
    ),
    text=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60),
)
def test_any_text_in_any_element_of_a_release(name: str, text: str) -> None:
    fits("fi.wires", rss(release(1, **{name: text}), release(2)))
