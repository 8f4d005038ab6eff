"""The National Storage Mechanism: answers to rows, the soft block, what is kept, holdings.

See docs/formats/uk.md 10.3.
"""

import io
import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import polars as pl
import pytest

from connectors.contract.dataset import ArchiveMember, NotApplicable, Scope, UnreadableFileError
from connectors.kit import holdings_history
from connectors.uk.nsm import dataset as nsm_dataset
from connectors.uk.nsm import fetch as nsm_fetch
from connectors.uk.nsm import news as nsm_news
from connectors.uk.nsm import redact, tr1_holdings
from connectors.uk.nsm.schema import normalise_holder_name
from sandbox import World
from sandbox.uk import nsm_http
from tests.connectors.uk.nsm.test_tr1_form import LINES, RUN_ON
from tests.tables import check_cases

AT = datetime(2026, 8, 22, tzinfo=UTC)
LEI = "213800PUHEBLCWDW9T74"


def item(identity="RNS-1", text=None, **source):
    told = {
        "type": "Holding(s) in Company",
        "type_code": "HOL",
        "lei": LEI,
        "company": "Example Group plc;",
        "submitted_date": "2026-08-21T16:53:58.383Z",
        "html_link": "NSM/RNS/1.html",
        **({} if text is None else {"document_content": text}),
        **source,
    }
    return {"_index": "fca-nsm-searchdata", "_id": identity, "_source": told}


def form(total="6.260000", before="N/A"):
    return LINES.format(now=f"{total}\n0.000000\n{total}\n60954321", before=before)


def answer(*items, took=77):
    return {"took": took, "timed_out": False, "hits": {"total": {"value": len(items)}, "hits": list(items)}}


def read(body, name="nsm-RNS-1.json", at=AT):
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    text = nsm_dataset.DATASET.redact(io.BytesIO(sent)).read()
    piece = ArchiveMember(nsm_dataset.KEY, name, "0" * 64, at, Scope.PART, "1", lambda: io.BytesIO(text))
    batches = list(nsm_dataset.DATASET.read_batches(piece))
    rows = {batch.table: batch.rows for batch in batches}
    signals = {signal.code for batch in batches for signal in batch.signals}
    return rows, pl.concat(batch.rejects for batch in batches), signals


def test_a_form_is_a_row_with_its_issuer_by_lei():
    rows, rejects, signals = read(item(text=form()))
    row = rows["uk_tr1"].row(0, named=True)
    assert (row["lei"], row["issuer"], row["isin"]) == (LEI, "EXAMPLE GROUP PLC", "GB00EXAMPLE1")
    assert (row["votes"], row["total"], row["is_below"]) == (Decimal("6.26"), Decimal("6.26"), False)
    assert rows["uk_nsm_items"].row(0, named=True)["company"] == "Example Group plc"
    assert (len(rejects), signals) == (0, set())


def test_a_holders_own_announcement_is_of_no_company_we_know():
    """A bank's announcements hold forms about others: they are not shares in the bank."""
    rows, _, signals = read(item(text=form(), company="Sample Bank plc"))
    assert rows["uk_tr1"]["lei"].to_list() == [None]
    assert signals == {"issuer_differs"}


def test_parts_that_do_not_add_up_and_a_missing_day_are_signalled():
    text = LINES.format(now="5.0\n1.0\n6.05\n1000", before="").replace("20-Aug-2026", "soon")
    assert read(item(text=text))[2] == {"does_not_add_up", "no_day"}


@check_cases(
    ("publication", "submitted", "published", "codes"),
    [
        ("2026-08-21T06:00:02Z", "2026-08-21T16:53:58.383Z", "2026-08-21T06:00:02", set()),
        ("2026-08-21T06:00:02+01:00", None, "2026-08-21T05:00:02", set()),
        ("2062-08-21T06:00:02Z", "2026-08-21T16:53:58Z", "2026-08-21T16:53:58", {"bad_date"}),  # the other one holds
        ("2026-08-21T06:00:02", "2026-08-21T16:53:58Z", "2026-08-21T16:53:58", {"bad_date"}),  # no zone
        ("21 August 2026", None, None, {"bad_date", "missing_value"}),
        (None, None, None, {"missing_value"}),
    ],
)
def test_instant_of_an_announcement_that_cannot_be_is_signalled(publication, submitted, published, codes):
    kept, _, signals = read(
        item(type="Inside Information", headline="News", publication_date=publication, submitted_date=submitted)
    )
    rows = kept["uk_nsm_items"].with_columns(
        _company_id=pl.lit("firm:UK:01234567"), _observed_at=pl.lit(AT), _raw=pl.lit("0")
    )
    found = [at.isoformat()[:19] for at in nsm_news.news_items(rows)["published_at"]]
    assert (found, signals) == ([published] if published else [], codes)


def test_a_text_without_a_form_is_a_reject_with_its_reason_and_stays_listed():
    rows, rejects, _ = read(item(text="See the attached TR-1."))
    assert rows["uk_tr1"].is_empty()
    assert len(rows["uk_nsm_items"]) == 1
    assert "no form TR-1" in rejects["reason"][0]


def test_other_types_are_listed_and_not_taken_apart(sources):
    body = (sources / "uk/fca_nsm/nsm_search_response_one_hit.json").read_bytes()
    rows, rejects, signals = read(body)
    assert rows["uk_nsm_items"]["type"].to_list() == ["Annual Financial Report"]
    assert (len(rows["uk_tr1"]), len(rejects), signals) == (0, 0, set())


@check_cases(
    ("body", "why"),
    [
        (answer(took=3), "soft block"),
        (answer() | {"timed_out": True}, "timed out"),
        ({"message": "Forbidden"}, "no list of hits"),
        (b'{"took": 77, "hits"', "does not parse"),
        (b"[]", "a list"),
    ],
)
def test_pitfall_20_the_soft_block_is_no_empty_day(body, why):
    with pytest.raises(UnreadableFileError, match=why):
        read(body)


def test_files_of_another_kind_are_not_ours():
    assert isinstance(
        nsm_dataset.recognise_file("x.html", b"<html><body>Just a moment...</body></html>"), NotApplicable
    )
    assert isinstance(nsm_dataset.recognise_file("x.json", b'{"items": []}'), NotApplicable)
    assert not isinstance(nsm_dataset.recognise_file("x.json", json.dumps(answer()).encode()), NotApplicable)


def test_the_sandbox_answers_as_the_mechanism_does():
    world = World(seed=6, companies=60, days=3, markets=("UK",))
    body = nsm_fetch.search_request(world.date(0) - timedelta(days=6), world.date(0))
    listed = json.loads(nsm_http.search_response(world, 0, "/search", body).body)
    found = nsm_fetch.search_hits(listed)
    assert len(found) == 5  # weekdays
    assert nsm_http.search_response(world, 0, "/search", body.replace(b"00Z", b"00.000Z")).status == 400
    ((pattern, told),) = nsm_http.ROUTES
    asked = pattern.fullmatch(f"/details/{found[0]['_id']}")
    at = datetime.combine(world.date(1), time(), UTC)
    rows, rejects, signals = read(told(world, 0, {}, *asked.groups()).body, at=at)
    assert rows["uk_tr1"]["issuer"].to_list() == ["SANDBOX METALS PLC"]
    assert (len(rejects), signals) == (0, set())


def held(*items):
    rows = pl.concat(read(one)[0]["uk_tr1"] for one in items).with_columns(
        _company_id=pl.lit("firm:UK:01234567"), _observed_at=pl.lit(AT), _raw=pl.lit("0"), _retired_at=pl.lit(None)
    )
    listed = pl.concat(read(one)[0]["uk_nsm_items"] for one in items)
    return holdings_history.latest_statements(tr1_holdings.map_holdings(rows, listed))


def test_of_one_holder_the_newest_notification_counts():
    old = item("RNS-1", form("4.99"))
    new = item(
        "RNS-2",
        form("5.0").replace("20-Aug-2026", "24-Aug-2026").replace("City of Sample", "CITY OF SAMPLE"),
        submitted_date="2026-08-25T07:00:00.000Z",
    )
    row = held(new, old).row(0, named=True)
    assert len(held(new, old)) == 1
    assert (row["pct"], row["votes_pct"], row["basis"]) == (Decimal(5), Decimal(5), "exact")
    assert (row["valid_from"], row["ended_on"]) == (date(2026, 8, 24), None)
    assert (row["holder_type"], row["holder_country"]) == ("company", "GB")
    assert row["url"] == "https://data.fca.org.uk/artefacts/NSM/RNS/1.html"


@check_cases(
    ("one", "other", "same"),
    [
        ("BlackRock, Inc.", "BLACKROCK INC", True),
        ("The Sample Group, Inc.", "Sample Group Incorporated", True),
        ("Sample Bank S.A.", "Sample Bank SA", True),
        ("Sample & Co Ltd", "Sample and Company Limited", True),
        ("Sample p.l.c.", "Sample PLC", True),
        ("Société Générale S.A.", "Societe Generale SA", True),
        ("Mr John Q. Doe", "John Q Doe", True),
        ("Sample plc", "Sample Limited", False),
        ("Sample Fund I", "Sample Fund II", False),
        ("A B", "AB C", False),
    ],
)
def test_the_same_holder_spelt_otherwise_is_one_holder(one, other, same):
    assert (normalise_holder_name(one) == normalise_holder_name(other)) is same


@pytest.mark.parametrize("name", ["-", "The", "&", "株式会社"])
def test_every_name_has_a_key(name):
    assert normalise_holder_name(name)


def test_a_correction_of_the_same_day_replaces_what_it_corrects():
    wrong = item("RNS-1", form("51.0"), submitted_date="2026-08-21T07:00:00.000Z")
    right = item("RNS-2", form("5.1"), submitted_date="2026-08-21T09:00:00.000Z")
    for order in ((wrong, right), (right, wrong)):
        assert held(*order)["pct"].to_list() == [Decimal("5.1")]


@check_cases(
    ("first", "second", "share"),
    [
        # an id that both revisions have, and ids of the portal, which end with the revision
        ({"seq_id": "1a2b"}, {"seq_id": "1a2b"}, "3.1"),
        ({"seq_id": "NI-000103799-0"}, {"seq_id": "NI-000103799-1"}, "3.1"),
        ({"seq_id": "NI-000103799-0"}, {"seq_id": "NI-000103800-0"}, "5.1"),
        ({}, {}, "5.1"),
    ],
)
def test_a_revision_of_an_earlier_day_replaces_the_form_that_it_corrects(first, second, share):
    day = form("3.1").replace("20-Aug-2026", "10-Aug-2026")
    wrong = item("RNS-1", form("5.1"), submitted_date="2026-08-21T07:00:00.000Z", **first)
    right = item("RNS-2", day, submitted_date="2026-08-21T09:00:00.000Z", **second)
    for order in ((wrong, right), (right, wrong)):
        assert held(*order)["pct"].to_list() == [Decimal(share)]


def test_a_form_that_a_later_revision_superseded_is_a_reject_and_stays_listed():
    rows, rejects, _ = read(answer(item("RNS-1", form(), latest_flag="N"), item("RNS-2", form(), latest_flag="Y")))
    assert rows["uk_tr1"]["id"].to_list() == ["RNS-2"]
    assert len(rows["uk_nsm_items"]) == 2
    assert "superseded" in rejects["reason"][0]


def test_a_late_notice_of_an_earlier_day_does_not_hide_the_newer_one():
    newer = item("RNS-1", form("5.1"))
    late = item("RNS-2", form("3.1").replace("20-Aug-2026", "01-Jul-2026"), submitted_date="2026-08-25T07:00:00.000Z")
    assert held(newer, late)["pct"].to_list() == [Decimal("5.1")]


def test_a_day_behind_its_own_announcement_is_none():
    """A slip of the year would make this notice the newest for ever."""
    rows, _, signals = read(item(text=form().replace("20-Aug-2026", "20-Aug-2027")))
    assert rows["uk_tr1"]["crossed_on"].to_list() == [None]
    assert signals == {"impossible_date"}


@check_cases(
    ("stated", "day", "signalled"),
    [
        ("20-Aug-2025", None, {"impossible_date"}),  # last year's number, and the days of this one
        ("14-Aug-2025", None, {"impossible_date"}),
        ("29-Aug-2025", date(2025, 8, 29), set()),
        ("20-Jul-2025", date(2025, 7, 20), set()),  # a late notice
        ("20-Aug-2024", date(2024, 8, 20), set()),
    ],
)
def test_a_day_of_the_year_before_is_a_slip_where_its_announcement_is_of_the_same_days(stated, day, signalled):
    """It would hide this notice behind every one of the year between."""
    rows, _, signals = read(item(text=form().replace("20-Aug-2026", stated)))
    assert (rows["uk_tr1"]["crossed_on"].to_list(), signals) == ([day], signalled)


@check_cases(
    ("stated", "day", "signalled"),
    [
        ("08/12/2026", None, {"impossible_date"}),  # behind its announcement
        ("08/01/2026", None, {"impossible_date"}),  # 1 August with its month first, announced on the 5th
        ("08/05/2026", None, {"impossible_date"}),  # the day itself
        ("08-Jan-2026", date(2026, 1, 8), set()),  # a month by its name is none
        ("2026-01-08", date(2026, 1, 8), set()),
        ("05/08/2026", date(2026, 8, 5), set()),
        ("07/01/2026", date(2026, 1, 7), set()),  # 1 July is as far from the announcement
        ("31/01/2026", date(2026, 1, 31), set()),
    ],
)
def test_day_whose_numbers_fit_the_announcement_only_with_the_month_first_is_none(stated, day, signalled):
    """It would hide this notice behind every one of the months between."""
    text = form().replace("20-Aug-2026", stated)
    rows, _, signals = read(item(text=text, submitted_date="2026-08-05T16:53:58.383Z"))
    assert (rows["uk_tr1"]["crossed_on"].to_list(), signals) == ([day], signalled)


def test_what_is_no_country_is_not_kept():
    text = form().replace("\nUnited Kingdom\n", "\n7 Secret Road Leeds\n")
    rows, _, signals = read(item(text=text))
    assert rows["uk_tr1"]["country"].to_list() == [None]
    assert signals == {"unknown_country"}


def test_several_forms_in_one_text_are_told_of():
    rows, _, signals = read(item(text=form("5.1") + form("6.2")))
    assert rows["uk_tr1"]["total"].to_list() == [Decimal("5.1")]
    assert signals == {"several_forms"}


ADDRESS = "7 Secret Road"
CONTACT = "10. Proxy\n11. Additional Information\nCall Ann Example, 7 Secret Road, 0113 496 0000\n12. Date"


@check_cases(
    ("text", "country"),
    [
        (form().replace("\nLondon\n", f"\n{ADDRESS}, Leeds\n") + CONTACT, "United Kingdom"),
        (form().replace("\nLondon\n", f"\n5. Floor, {ADDRESS}, Leeds\n") + CONTACT, "United Kingdom"),
        (f"<html><body>{form().replace('London', ADDRESS)}<p>Annex</p><p>{ADDRESS}</p></body></html>", None),
        (RUN_ON.format(day="20/08/2026").replace("Frankfurt, Germany", f"{ADDRESS}, Leeds, Germany"), "Germany"),
        (RUN_ON.format(day="20/08/2026").replace("Frankfurt, Germany", f"{ADDRESS} Leeds"), None),
        (RUN_ON.format(day="20/08/2026").replace("Frankfurt, Germany", "Germany"), "Germany"),
    ],
)
def test_addresses_and_contacts_do_not_reach_the_archive_and_the_form_does(text, country):
    kept = redact.redact(io.BytesIO(json.dumps(item(text=text)).encode())).read()
    assert b"Secret" not in kept
    assert redact.redact(io.BytesIO(kept)).read() == kept
    rows, rejects, _ = read(item(text=text))
    assert len(rejects) == 0
    row = rows["uk_tr1"].row(0, named=True)
    assert row["total"] in (Decimal("6.26"), Decimal("6.16"))
    assert "<html>" in text or row["country"] == country


@pytest.mark.parametrize(
    "told",
    [
        item(text=f"Mr Doe of {ADDRESS} holds 5 %"),
        item(text=f"TR-1 {ADDRESS}", type="Director/PDMR Shareholding"),
        item(text=[ADDRESS]),
        answer(item(text=f"Mr Doe of {ADDRESS}")),
    ],
)
def test_a_text_that_nobody_can_look_through_is_not_kept(told):
    kept = redact.redact(io.BytesIO(json.dumps(told).encode())).read()
    assert b"Secret" not in kept
    assert b"withheld" in kept


def test_a_text_that_stands_twice_is_not_kept():
    body = json.dumps(item(text=None)).encode()
    twice = body.replace(b'"type"', b'"document_content": "Mr Secret", "document_content": null, "type"')
    assert twice != body
    assert b"Secret" not in redact.redact(io.BytesIO(twice)).read()


def test_an_answer_without_texts_is_kept_byte_for_byte(sources):
    body = (sources / "uk/fca_nsm/nsm_search_response_one_hit.json").read_bytes()
    assert redact.redact(io.BytesIO(body)).read() == body


@pytest.mark.parametrize("row", ["Below 3%\n0\nBelow 3%", "0.00\n0.00\n0.00\n0"])
def test_below_the_lowest_threshold_closes_the_holding(row):
    found = held(item(text=LINES.format(now=row, before="3.1"))).row(0, named=True)
    assert found["ended_on"] == date(2026, 8, 20)


@check_cases("mark", [True, "true"])
def test_a_test_submission_is_a_reject_and_announces_nothing(mark):
    rows, rejects, _ = read(item(text=form(), IsTestSubmission=mark))
    assert rows["uk_nsm_items"].is_empty()
    assert rows["uk_tr1"].is_empty()
    assert "test submission" in rejects["reason"][0]


def test_a_day_before_the_regime_is_none_and_is_signalled():
    rows, _, signals = read(item(text=form().replace("20-Aug-2026", "20-Aug-1926")))
    assert rows["uk_tr1"]["crossed_on"].to_list() == [None]
    assert signals == {"impossible_date"}
