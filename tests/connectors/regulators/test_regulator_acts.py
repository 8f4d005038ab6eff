"""Acts of the SEC, CFTC, FCA, PRA, Finansinspektionen and Finanstilsynet: items to rows, with and without persons."""

import io
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.contract.dataset import NOT_A_COMPANY, Dataset
from connectors.regulators import act_types, headline_datasets, sec
from tests.connectors.regulators.feeding import Members, Reading, rss
from tests.tables import check_cases

AT = "Tue, 18 Jun 2024 16:54:28 -0400"
LONG = "Monday, July 27, 2026 - 15:30"


def release(title: str, creator: str = "LR-26032", **more: str) -> Members:
    base = {"title": title, "link": "https://www.sec.gov/node/961526\n", "description": title, "pubDate": AT}
    return base | {"dc:creator": creator, "guid": "https://www.sec.gov/aca080d5-2d45"} | more


def news(host: str, title: str, path: str = "/news/a", stamp: str = LONG, **more: str) -> Members:
    return {"title": title, "link": f"https://{host}{path}", "pubDate": stamp} | more


def one(rows: Any) -> dict[str, Any]:
    [row] = rows.to_dicts()
    return row


def test_a_litigation_release_of_a_company_and_two_persons(read: Reading) -> None:
    title = "Western Sierra Resource Corporation, Roger Example, and Dennis Example"
    row = one(read(sec.DATASET, rss([release(title)], "Litigation Releases")).rows)
    assert row["published_at"] == datetime(2024, 6, 18, 20, 54, 28, tzinfo=UTC)
    assert {name: row[name] for name in ("authority_code", "native_id", "place", "kind", "name", "mark")} == {
        "authority_code": "US-SEC",
        "native_id": "LR-26032",
        "place": 1,
        "kind": act_types.LITIGATION,
        "name": "Western Sierra Resource Corporation",
        "mark": "form",
    }
    assert row["title"] == "Litigation release LR-26032: Western Sierra Resource Corporation and others"
    assert row["url"] == "https://www.sec.gov/node/961526"
    assert (row["amount"], row["currency"], row["lei"]) == (None, None, None)


def test_every_company_of_a_title_has_a_row(read: Reading) -> None:
    rows = read(sec.DATASET, rss([release("Acme, Inc., Beta Fund, L.P., and Ann Example")])).rows
    assert rows.select("place", "name").rows() == [(1, "Acme, Inc."), (2, "Beta Fund, L.P.")]


@check_cases(
    ("creator", "native_id"),
    [
        ("LR-26032", "LR-26032"),
        ("LR26018", "LR-26018"),
        ("LR 26018a", "LR-26018A"),
        ("34-100456, IA-6643, File No. 3-21999", "34-100456"),
        ("IC-35000", "IC-35000"),
        ("", "/aca080d5-2d45"),
    ],
)
def test_release_numbers(creator: str, native_id: str, read: Reading) -> None:
    body = rss([release("Acme, Inc.", creator)], "Litigation Releases")
    assert one(read(sec.DATASET, body).rows)["native_id"] == native_id


@check_cases(
    ("feed", "creator", "kind"),
    [
        ("Litigation Releases", "LR-1000", act_types.LITIGATION),
        ("Administrative Proceedings", "34-1000", act_types.ADMINISTRATIVE_PROCEEDING),
        ("Trading Suspensions", "34-1000", act_types.TRADING_SUSPENSION),
        ("News", "LR-1000", act_types.LITIGATION),
        ("News", "34-1000", act_types.OTHER),
    ],
)
def test_kinds_of_releases(feed: str, creator: str, kind: str, read: Reading) -> None:
    batch = read(sec.DATASET, rss([release("Acme, Inc.", creator)], feed))
    assert one(batch.rows)["kind"] == kind
    assert [signal.code for signal in batch.signals] == (["unknown_kind"] if kind == act_types.OTHER else [])


def test_a_feed_of_headlines_lists_no_respondents_and_keeps_no_person(read: Reading) -> None:
    title = "SEC Obtains Judgment Against Ann Example; Statement on Acme Corp."
    body = rss([release(title, "")], "Press Releases")
    batch = read(sec.DATASET, body)
    assert batch.rows.is_empty()
    assert batch.rejects["reason"][0].startswith(NOT_A_COMPANY)
    kept = sec.DATASET.redact(io.BytesIO(body)).read()  # type: ignore[misc]
    assert b"Example" not in kept


def test_releases_about_persons_are_no_rows_and_name_nobody(read: Reading) -> None:
    batch = read(sec.DATASET, rss([release("Adrian J. Example"), release("Karen Example et al.", "LR-2")]))
    assert batch.rows.is_empty()
    assert all(reason.startswith(NOT_A_COMPANY) for reason in batch.rejects["reason"])
    assert "Example" not in str(batch.rejects.to_dicts())


def test_an_item_without_time_or_number_is_rejected_alone(read: Reading) -> None:
    lost = {"title": "Acme, Inc.", "pubDate": AT}
    items = [release("Acme, Inc.", pubDate="soon"), lost, release("Beta, Inc.", "LR-26040")]
    batch = read(sec.DATASET, rss(items))
    assert batch.rows["name"].to_list() == ["Beta, Inc."]
    assert sorted(batch.rejects["reason"]) == ["no release number, and no address of the SEC", "no time: 'soon'"]


def test_the_archive_keeps_no_person_of_a_release(archived: Reading) -> None:
    items = [release("Acme, Inc. and Ann Example", description="Ann Example of Acme"), release("Bo Example", "LR-2")]
    body = rss(items, "Litigation Releases")
    kept = sec.DATASET.redact(io.BytesIO(body)).read()  # type: ignore[misc]
    assert b"Example" not in kept
    assert one(archived(sec.DATASET, body).rows)["title"] == "Litigation release LR-26032: Acme, Inc. and others"


def test_the_genuine_litigation_releases(sources: Path, read: Reading, archived: Reading) -> None:
    body = (sources / "news" / "sec_rss" / "litigation_releases_20240701.part.xml").read_bytes()
    batch = read(sec.DATASET, body)
    assert batch.rows.height + batch.rejects.height == len(re.findall(rb"<item>", body)) == 16
    assert batch.rows["native_id"].to_list()[:3] == ["LR-26039", "LR-26038", "LR-26036"]
    assert batch.rows["kind"].unique().to_list() == [act_types.LITIGATION]
    assert batch.rows["url"].is_not_null().all()
    assert not batch.signals
    kept = archived(sec.DATASET, body)
    assert kept.rows.equals(batch.rows)
    assert kept.rejects["reason"].equals(batch.rejects["reason"])
    assert kept.rejects["record"].str.contains("2024").all()  # its day is what an item about persons is told by


def test_a_fine_of_the_fca(read: Reading) -> None:
    item = news("www.fca.org.uk", "FCA fines Barclays Bank Plc £26,056,400 for failures", category="Press Releases")
    row = one(read(headline_datasets.FCA_DATASET, rss([item])).rows)
    assert (row["kind"], row["name"], row["amount"], row["currency"]) == (
        act_types.SANCTION_FINE, "Barclays Bank Plc", 26_056_400, "GBP",
    )  # fmt: skip
    assert row["published_at"] == datetime(2026, 7, 27, 14, 30, tzinfo=UTC)
    assert (row["authority_code"], row["authority_country"], row["native_id"]) == ("GB-FCA", "GB", "/news/a")


def test_an_amount_of_the_text_is_kept_without_the_text(archived: Reading) -> None:
    text = "<p>Ann Example of Barclays. The fine is £7.5m.</p>"
    item = news("www.fca.org.uk", "FCA fines Barclays Bank Plc", description=text, category="Statements")
    row = one(archived(headline_datasets.FCA_DATASET, rss([item])).rows)
    assert (row["amount"], row["currency"]) == (7_500_000, "GBP")
    kept = headline_datasets.FCA_DATASET.redact(io.BytesIO(rss([item]))).read()  # type: ignore[misc]
    assert b"Ann Example" not in kept


def test_persons_leave_the_title_of_a_sentence(read: Reading, archived: Reading) -> None:
    item = news("www.fca.org.uk", "FCA fines Acme Capital plc and Ann Example £5m for failings")
    for reading in (read, archived):
        row = one(reading(headline_datasets.FCA_DATASET, rss([item])).rows)
        assert row["title"] == "FCA fines Acme Capital plc and others £5m for failings"
        assert (row["name"], row["amount"]) == ("Acme Capital plc", 5_000_000)
    item = news("www.fca.org.uk", "FCA fines Ann Example and Acme Capital plc £5m")
    for reading in (read, archived):
        row = one(reading(headline_datasets.FCA_DATASET, rss([item])).rows)
        assert (row["title"], row["is_whole"]) == ("FCA fines Acme Capital plc and others £5m", False)


@pytest.mark.parametrize(
    "title",
    [
        "FCA secures confiscation order against Ann Example of Acme Capital plc",
        "FCA fines Acme Capital plc's former trader Ann Example £5m",
        "FCA publishes decision notice against Ann Example, CEO of Acme Capital plc",
    ],
)
def test_a_person_named_with_a_company_is_archived_nowhere(title: str, read: Reading, archived: Reading) -> None:
    body = rss([news("www.fca.org.uk", title)])
    assert read(headline_datasets.FCA_DATASET, body).rows.is_empty()
    assert archived(headline_datasets.FCA_DATASET, body).rows.is_empty()
    kept = headline_datasets.FCA_DATASET.redact
    assert kept is not None
    assert b"Ann Example" not in kept(io.BytesIO(body)).read()


def test_a_person_named_with_a_company_leaves_the_title_of_another(read: Reading, archived: Reading) -> None:
    item = news("www.fca.org.uk", "FCA fines Acme Capital plc and Ann Example of Other plc £5m")
    for reading in (read, archived):
        row = one(reading(headline_datasets.FCA_DATASET, rss([item])).rows)
        assert (row["name"], row["title"]) == ("Acme Capital plc", "FCA fines Acme Capital plc and others £5m")


@check_cases(
    ("title", "category"),
    [
        ("FCA fines Barclays Bank Plc £1m", "Speeches"),
        ("FCA fines Barclays Bank Plc £1m", "Blogs"),
        ("FCA publishes its business plan", "Press Releases"),
        ("FCA bans Ann Example", "Press Releases"),
        ("FCA and Barclays Bank Plc agree on a code", "News stories"),
        ("INVESTOR ALERT: Pomerantz Law Firm investigates claims against Acme Limited", "Press Releases"),
    ],
)
def test_what_is_no_act_against_a_company(title: str, category: str, read: Reading) -> None:
    batch = read(headline_datasets.FCA_DATASET, rss([news("www.fca.org.uk", title, category=category)]))
    assert batch.rows.is_empty()
    assert batch.rejects["reason"][0].startswith(NOT_A_COMPANY)


def test_an_act_of_the_day_after_tomorrow_is_refused_alone(read: Reading) -> None:
    title, place = "FCA fines Acme Capital plc £5m", "www.fca.org.uk"
    soon = news(place, title, "/news/1", stamp="Friday, November 20, 2026 - 23:30")
    batch = read(
        headline_datasets.FCA_DATASET, rss([soon, news(place, title, "/news/2", stamp="2031-01-01T09:00:00Z")])
    )
    assert batch.rows["native_id"].to_list() == ["/news/1"]
    assert batch.rejects["reason"].to_list() == ["published after it was read: 2031-01-01"]


def test_an_unknown_category_gives_a_signal(read: Reading) -> None:
    batch = read(
        headline_datasets.FCA_DATASET, rss([news("www.fca.org.uk", "FCA fines Acme Ltd £1m", category="Podcasts")])
    )
    assert [(signal.code, signal.subject) for signal in batch.signals] == [("unknown_code", "category Podcasts")]


@pytest.mark.parametrize(
    "title", ["Acme Ltd (clone of FCA authorised firm)", "FCA warns about unauthorised firm Acme Ltd"]
)
def test_a_warning_names_nobody(title: str, read: Reading) -> None:
    row = one(read(headline_datasets.FCA_DATASET, rss([news("www.fca.org.uk", title, category="Statements")])).rows)
    assert row["kind"] in act_types.NEVER_MATCHED
    assert row["name"] is None


def test_an_address_elsewhere_is_not_believed(read: Reading) -> None:
    batch = read(headline_datasets.FCA_DATASET, rss([news("evil.example", "FCA fines Acme Ltd £1m")]))
    assert batch.rows.is_empty()
    assert batch.rejects["reason"].to_list() == ["no address on www.fca.org.uk to identify it"]


@pytest.mark.parametrize(
    ("path", "native_id"),
    [("/PressRoom/PressReleases/8543-22", "8543-22"), ("/PressRoom/PressReleases/pr5831-08", "5831-08"),
     ("/PressRoom/Events/x", "/pressroom/events/x")],
)  # fmt: skip
def test_numbers_of_the_cftc(path: str, native_id: str, read: Reading) -> None:
    item = news("www.cftc.gov", "CFTC Orders Acme Trading LLC to Pay $1.5 Million for Spoofing", path, AT)
    row = one(read(headline_datasets.CFTC_DATASET, rss([item])).rows)
    assert (row["native_id"], row["name"], row["amount"]) == (native_id, "Acme Trading LLC", 1_500_000)


@pytest.mark.parametrize(
    "title", ["CFTC Charges Florida Company with Fraud", "CFTC Charges Man and His Company with Fraud"]
)
def test_a_company_that_is_only_described_has_no_name(title: str, read: Reading) -> None:
    assert read(headline_datasets.CFTC_DATASET, rss([news("www.cftc.gov", title, "/a/1-26", AT)])).rows.is_empty()


def test_a_fine_of_the_pra(read: Reading) -> None:
    item = news("www.bankofengland.co.uk", "PRA fines Example Bank Plc £8.5m", stamp="Mon, 27 Jul 2026 15:30:00 BST")
    row = one(read(headline_datasets.PRA_DATASET, rss([item])).rows)
    assert (row["authority_code"], row["amount"]) == ("GB-PRA", 8_500_000)


DATASETS = (sec.DATASET, headline_datasets.CFTC_DATASET, headline_datasets.FCA_DATASET, headline_datasets.PRA_DATASET, headline_datasets.SWEDISH_DATASET,
            headline_datasets.NORWEGIAN_DATASET)  # fmt: skip
_TEXT = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=80)


@given(st.lists(st.fixed_dictionaries({"title": _TEXT, "link": _TEXT, "pubDate": st.sampled_from([AT, LONG, "x"])}),
                min_size=1, max_size=4), st.sampled_from(DATASETS))  # fmt: skip
def test_any_feed_is_read_and_archived_the_same(items: list[Members], dataset: Dataset) -> None:
    body = rss([item | {"link": f"https://{dataset.host}/{place}"} for place, item in enumerate(items)])
    assert dataset.redact is not None
    kept = dataset.redact(io.BytesIO(body)).read()
    assert dataset.redact(io.BytesIO(kept)).read() == kept
