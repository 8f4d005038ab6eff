"""Acts of Finansinspektionen and Finanstilsynet: lists of firms, overlapping feeds."""

from typing import Any

import pytest

from connectors.regulators import act_types, headline_datasets
from connectors.regulators.common import NOBODY
from tests.connectors.regulators.feeding import Reading, rss

AT = "Tue, 18 Jun 2024 16:54:28 -0400"
FI_FIRMS = "https://www.fi.se/sv/publicerat/sanktioner/finansiella-foretag/2026/akt-1/"


def one(rows: Any) -> dict[str, Any]:
    [row] = rows.to_dicts()
    return row


def test_a_sanction_of_finansinspektionen_needs_no_form(read: Reading) -> None:
    text = "Larsson & Partners ska betala 1,5 miljoner kronor."
    item = {"title": "Anmärkning och straffavgift för Larsson & Partners", "link": FI_FIRMS, "description": text}
    row = one(read(headline_datasets.SWEDISH_DATASET, rss([item | {"pubDate": AT}])).rows)
    assert (row["name"], row["mark"], row["kind"]) == ("Larsson & Partners", "register", act_types.SANCTION_FINE)
    assert (row["amount"], row["currency"]) == (1_500_000, "SEK")
    assert row["native_id"] == "/sv/publicerat/sanktioner/finansiella-foretag/2026/akt-1"


def test_in_another_list_a_name_without_a_form_may_be_a_person(read: Reading) -> None:
    item = {"title": "Sanktionsavgift för Ann Example", "link": "https://www.fi.se/sv/publicerat/sanktioner/insyn/1"}
    assert read(headline_datasets.SWEDISH_DATASET, rss([item | {"pubDate": AT}])).rows.is_empty()


def test_an_act_of_no_known_kind_against_a_firm_is_staged_with_a_signal(read: Reading) -> None:
    batch = read(
        headline_datasets.SWEDISH_DATASET, rss([{"title": "Beslut i ärende 22-1", "link": FI_FIRMS, "pubDate": AT}])
    )
    assert (one(batch.rows)["kind"], one(batch.rows)["name"]) == (act_types.OTHER, None)
    assert [signal.code for signal in batch.signals] == ["unknown_kind"]


def test_an_item_of_a_list_of_firms_without_a_headline_is_refused_alone(read: Reading) -> None:
    """Whatever is in such a list is an act, but not one that says nothing."""
    items = [{"title": title, "link": f"{FI_FIRMS}{title}", "pubDate": AT} for title in ("", "Beslut")]
    batch = read(headline_datasets.SWEDISH_DATASET, rss(items))
    assert batch.rows["title"].to_list() == ["Beslut"]
    assert batch.rejects["reason"].to_list() == ["no headline"]


def test_overlapping_feeds_of_finanstilsynet_tell_one_act_once(read: Reading) -> None:
    link = "https://www.finanstilsynet.no/nyhetsarkiv/nyheter/2026/sak/"
    item = {"title": "Overtredelsesgebyr til Eksempel Bank ASA", "link": link, "pubDate": AT}
    again = item | {"link": link.upper().replace("HTTPS", "https")}
    rows = read(headline_datasets.NORWEGIAN_DATASET, rss([item, again])).rows
    assert rows.height == 1
    assert (one(rows)["authority_code"], one(rows)["name"]) == ("NO-FT", "Eksempel Bank ASA")


def test_a_name_of_a_list_of_firms_that_a_person_may_have_is_not_kept(read: Reading, archived: Reading) -> None:
    link = f"{FI_FIRMS}sanktionsavgift-for-ann-b.-example/"
    item = {"title": "Sanktionsavgift för Ann B. Example", "link": link, "guid": link, "pubDate": AT}
    for reading in (read, archived):
        assert reading(headline_datasets.SWEDISH_DATASET, rss([item])).rows.is_empty()
    batch = archived(headline_datasets.SWEDISH_DATASET, rss([item]))
    assert "ann" not in str(batch.rejects.to_dicts()).lower()
    assert batch.rejects["reason"].to_list() == [NOBODY]


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Sanktionsavgift för Exempel Bank AB och Annan Bank AB", ["Exempel Bank AB", "Annan Bank AB"]),
        ("Sanktionsavgift för Larsson och Partners", ["Larsson och Partners"]),
        ("Sanktionsavgift för Exempel", ["Exempel"]),
        ("Sanktionsavgift för sen anmälan av insynshandel", [None]),
    ],
)
def test_firms_of_a_list_of_firms(title: str, names: list[str | None], read: Reading) -> None:
    rows = read(headline_datasets.SWEDISH_DATASET, rss([{"title": title, "link": FI_FIRMS, "pubDate": AT}])).rows
    assert rows["name"].to_list() == names
    assert set(rows["mark"]) == {"register"}


def test_in_a_list_of_firms_somebody_of_one_is_none_and_is_archived_nowhere(read: Reading, archived: Reading) -> None:
    body = rss([{"title": "Straffavgift för Ann Example, revisor i Exempel AB", "link": FI_FIRMS, "pubDate": AT}])
    assert read(headline_datasets.SWEDISH_DATASET, body).rows.is_empty()
    assert archived(headline_datasets.SWEDISH_DATASET, body).rows.is_empty()
