"""Announcements: rows, periods that texts state, notices of major holdings, and what is made of them.

See docs/formats/no.md 8.
"""

import json
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.kit import staging
from connectors.no import NORWAY
from connectors.no.aksjonaerregister.schema import SHAREHOLDERS
from connectors.no.enheter.schema import ENTITIES
from connectors.no.newsweb.schema import FLAGS, MESSAGES, STAGED, TEXTS
from connectors.no.regnskap.schema import ACCOUNTS
from tests.connectors.no.account_files import RECORD, api
from tests.connectors.no.entity_rows import ENTITY, MONDAY, NUMBER, TODAY, present
from tests.connectors.no.market_files import envelope, form, listed, message, read, rejects, rows, signals, whole
from tests.pipelines.eventful import event_types_between
from tests.tables import check_cases

COMPANY = f"firm:NO:{NUMBER}"
DATASET = NORWAY.dataset("no.newsweb")


NO_ACCOUNTS = {ACCOUNTS.name: staging.present_rows({}, ACCOUNTS)}  # loaded, and none of this company


def tables(*bodies: bytes, **more: pl.LazyFrame) -> dict[str, pl.DataFrame]:
    """Shared tables of announcements that a link has given to one company; accounts were loaded."""
    return dict(NORWAY.to_shared_tables(NO_ACCOUNTS | announced(*bodies) | more, TODAY))


def announced(*bodies: bytes) -> dict[str, pl.LazyFrame]:
    """Present rows of announcements that a link has given to one company."""
    frames: dict[str, list[pl.DataFrame]] = {}
    for body in bodies:
        for batch in read("no.newsweb", body, "message.json"):
            frames.setdefault(batch.table, []).append(batch.rows)
    instant = pl.Datetime("us", "UTC")
    return {
        name: pl.concat(parts)
        .unique(STAGED[name].key, keep="last", maintain_order=True)
        .with_columns(
            pl.lit(COMPANY).alias("_company_id"),
            pl.lit(MONDAY, instant).alias("_observed_at"),
            pl.lit("0" * 64).alias("_raw"),
            pl.lit(None, instant).alias("_retired_at"),
        )
        .lazy()
        for name, parts in frames.items()
    }


def filings(*bodies: bytes, **more: pl.LazyFrame) -> list[dict[str, Any]]:
    return tables(*bodies, **more)["filings"].sort("native_id").to_dicts()


def test_a_report_is_a_filing_with_period_date_and_address_and_no_figures() -> None:
    (found,) = filings(whole(number=614113, body="", attachments=[{"id": 1, "name": "eks20251231NO.zip"}]))
    assert found | {"raw": None, "observed_at": None, "filing_id": None} == {
        "filing_id": None,
        "company_id": COMPANY,
        "filing_type": "annual_report",
        "native_id": "614113",
        "document_sha256": None,
        "period_start": date(2025, 1, 1),
        "period_end": date(2025, 12, 31),
        "filed_at": date(2026, 3, 21),
        "is_amendment": False,
        "document_url": "https://newsweb.oslobors.no/message/614113",
        "register": "no.newsweb",
        "raw": None,
        "observed_at": None,
    }
    assert tables(whole())["financials_reported"].is_empty()


def test_what_is_no_report() -> None:
    assert filings(whole(numbAttachments=0)) == []  # an invitation
    assert filings(whole(title="Preliminary annual report 2025")) == []
    assert filings(whole(correctedByMessageId=7)) == []
    assert filings(whole(category=1104)) == []


def test_a_correction_is_an_amendment() -> None:
    (found,) = filings(whole(number=2, correctionForMessageId=1))
    assert found["is_amendment"]


def test_a_report_that_a_later_one_corrects_is_no_filing_though_it_was_read_before() -> None:
    (found,) = filings(whole(), whole(number=2, correctionForMessageId=1))
    assert (found["native_id"], found["is_amendment"]) == ("2", True)


def test_a_bare_year_is_no_period_of_a_company_whose_years_end_elsewhere() -> None:
    period = {"fraDato": "2024-07-01", "tilDato": "2025-06-30"}
    rows_ = api(RECORD | {"regnskapsperiode": period}).rows.to_dicts()
    accounts = {ACCOUNTS.name: present(ACCOUNTS, rows_[0])}
    found = [row for row in filings(whole(), **accounts) if row["register"] == "no.newsweb"]
    assert [row["period_end"] for row in found] == [None]
    dated = whole(attachments=[{"id": 1, "name": "eks20250630NO.zip"}])
    found = [row for row in filings(dated, **accounts) if row["register"] == "no.newsweb"]
    assert [row["period_end"] for row in found] == [date(2025, 6, 30)]


def test_bare_year_while_accounts_were_never_loaded_is_no_period() -> None:
    def ends(present_tables: dict[str, pl.LazyFrame]) -> list[date | None]:
        return NORWAY.to_shared_tables(present_tables, TODAY)["filings"]["period_end"].to_list()

    assert ends(announced(whole())) == [None], "the company's year may end in any month"
    assert ends(NO_ACCOUNTS | announced(whole())) == [date(2025, 12, 31)]
    dated = whole(attachments=[{"id": 1, "name": "eks20250630NO.zip"}])
    assert ends(announced(dated)) == [date(2025, 6, 30)]


@check_cases("bodies", [(whole(),), (whole(number=11), whole(number=12, title="Eksempel ASA: our report"))])
def test_bare_year_becomes_a_period_without_an_event_once_accounts_are_loaded(bodies: tuple[bytes, ...]) -> None:
    known = announced(*bodies) | {ENTITIES.name: present(ENTITIES, ENTITY)}
    before, after = (NORWAY.to_shared_tables(rows, TODAY) for rows in (known, NO_ACCOUNTS | known))
    assert before["companies"].height == 1
    assert before["filings"]["period_end"].to_list() == [None]
    assert after["filings"]["period_end"].to_list() == [date(2025, 12, 31)] * len(bodies)
    assert event_types_between(before, after) == []


def test_twins_in_two_languages_are_two_documents_of_one_period() -> None:
    found = filings(whole(number=11), whole(number=12, title="Eksempel ASA: our report"))
    assert [row["period_end"] for row in found] == [date(2025, 12, 31)] * 2
    undated = filings(whole(number=11, title="Vår rapport"), whole(number=12, title="Our report"))
    assert [(row["native_id"], row["period_end"]) for row in undated] == [("11", None)]


def test_a_list_alone_makes_the_filing_too_and_the_text_is_believed_before_the_headline() -> None:
    assert filings(listed(message()))[0]["period_end"] == date(2025, 12, 31)
    dated = whole(attachments=[{"id": 1, "name": "eks20250930NO.zip"}])
    assert filings(listed(message()), dated)[0]["period_end"] == date(2025, 9, 30)


def test_a_report_without_a_stated_period_is_told() -> None:
    told = signals(read("no.newsweb", whole(title="Our report", body="See attachment"), "message.json"))
    assert told == {("period_not_stated", "text"): 1}


def flag(number: int = 1, published: str = "2026-06-10T14:19:46.818Z", corrects: int = 0, **values: Any) -> bytes:
    said = {"number": number, "publishedTime": published, "correctionForMessageId": corrects}
    return whole(category=1006, title="Flagging", body=form(**values), **said)


def test_a_notice_in_the_standard_form_is_a_holding() -> None:
    (found,) = tables(flag())["holdings"].to_dicts()
    assert (found["holder_name"], found["holder_country"], found["holder_type"]) == ("Eier Invest AS", "NO", "company")
    assert (found["votes_pct"], found["pct"], found["basis"]) == (Decimal("7.46"), None, "exact")
    assert (found["valid_from"], found["native_id"]) == (date(2026, 6, 9), "eier invest as")


def test_a_notice_that_does_not_come_apart_is_told_and_gives_nothing() -> None:
    body = whole(category=1006, title="Flagging", body="Please see attachment on www.newsweb.no")
    batches = read("no.newsweb", body, "message.json")
    assert signals(batches) == {("flagging_not_read", "text"): 1}
    assert rows(batches, FLAGS.name) == []


def test_of_several_notices_of_a_holder_the_newest_crossing_counts_and_none_left_is_an_end() -> None:
    def notice(number: int, day: str, now: str) -> bytes:
        return flag(number=number, day=day, now=now)

    found = tables(notice(2, "9 June 2026", "0 % 0"), notice(3, "1 June 2026", "7,46 0,00 7,46"))["holdings"]
    assert found.select("votes_pct", "ended_on").rows() == [(Decimal("0.0"), date(2026, 6, 9))]


@check_cases(
    ("capital", "votes", "ended"), [("6,01", "0,00", None), ("0,00", "6,01", None), ("0,00", "0,00", date(2026, 6, 9))]
)
def test_a_holding_of_capital_or_of_votes_alone_is_no_end(capital: str, votes: str, ended: date | None) -> None:
    """Lent shares and shares without a vote have no votes, proxies have no shares."""
    body = (
        "Eier Invest AS has on 2026-06-09 sold 29 131 shares in Eksempel ASA and has consequently passed the 5% "
        f"disclosure threshold.\n\n2026-06-09\t3 201 058\t{capital}\t3 201 058\t{votes}\n"
    )
    found = tables(whole(category=1006, title="Flagging", body=body, publishedTime="2026-06-10T14:19:46Z"))["holdings"]
    assert found["ended_on"].to_list() == [ended]


def test_notice_that_a_later_one_corrects_counts_no_more_though_it_was_read_before() -> None:
    wrong = flag(holder="Eirer Invest AS", day="9 June 2026", now="12,10 0,00 12,10")
    right = flag(number=2, corrects=1, day="4 June 2026", now="5,10 0,00 5,10")
    for order in ((wrong, right), (right, wrong)):
        found = tables(*order)["holdings"]
        assert found.select("holder_name", "votes_pct").rows() == [("Eier Invest AS", Decimal("5.10"))]


@check_cases(
    ("day", "published", "due"),
    [
        ("9 June 2062", "2026-06-10T14:19:46Z", date(2026, 6, 10)),
        ("11 June 2026", "2026-06-10T21:59:00Z", date(2026, 6, 10)),
        ("11 June 2026", "2026-06-10T22:01:00Z", None),  # past midnight in Oslo
        ("10 June 2026", "2026-06-10T14:19:46Z", None),
    ],
)
def test_a_crossing_after_its_publication_is_told_and_hides_no_later_notice(
    day: str, published: str, due: date | None
) -> None:
    body = flag(day=day, published=published)
    told = signals(read("no.newsweb", body, "message.json"))
    assert (("impossible_date", "crossed_on") in told) == (due is not None)
    later = flag(number=2, day="12 June 2026", published="2026-06-12T14:00:00Z", now="15,10 0,00 15,10")
    assert tables(body, later)["holdings"]["votes_pct"].to_list() == [Decimal("15.10")]
    if due is not None:
        assert tables(body)["holdings"]["valid_from"].to_list() == [due]


def test_votes_are_capital_where_there_is_a_vote_for_every_share() -> None:
    entity = ENTITY | {"kapital.antallAksjer": 1_000_000}
    even = tables(flag(), **{ENTITIES.name: present(ENTITIES, entity)})["holdings"]
    assert even["pct"].to_list() == [Decimal("7.46")]
    uneven = tables(flag(), **{ENTITIES.name: present(ENTITIES, entity | {"kapital.antallAksjer": 2_000_000})})
    assert uneven["holdings"]["pct"].to_list() == [None]
    share = {"orgnr": NUMBER, "inntektsaar": 2025, "innehaver": "x", "aksjeklasse": "Ordinære aksjer", "art": "unknown"}
    one_class = tables(flag(now="7,46 0,00 7,46"), **{SHAREHOLDERS.name: present(SHAREHOLDERS, share)})
    flagged = one_class["holdings"].filter(pl.col("register") == "no.newsweb")
    assert flagged["pct"].to_list() == [Decimal("7.46")]
    torn = present(SHAREHOLDERS, share | {"har_ulest": True})  # a line that was rejected may be of another class
    unsure = tables(flag(now="7,46 0,00 7,46"), **{SHAREHOLDERS.name: torn})["holdings"]
    assert unsure.filter(pl.col("register") == "no.newsweb")["pct"].to_list() == [None]


def test_the_number_that_a_form_prints_names_the_company_and_a_wrong_one_is_told() -> None:
    batches = read("no.newsweb", flag(issuer="Zalaris ASA, org.nr. 981 953 134"), "message.json")
    (row,) = rows(batches, FLAGS.name)
    assert row["organisasjonsnummer"] == "981953134"
    frame = next(batch.rows for batch in batches if batch.table == FLAGS.name)
    assert NORWAY.company_ids_of_rows(FLAGS.name, frame).to_list() == ["firm:NO:981953134"]
    wrong = read("no.newsweb", flag(issuer="Zalaris ASA, org.nr. 981 953 135"), "message.json")
    assert ("wrong_check_digit", "organisasjonsnummer") in signals(wrong)
    unnamed = next(batch.rows for batch in wrong if batch.table == FLAGS.name)
    assert NORWAY.company_ids_of_rows(FLAGS.name, unnamed).to_list() == [None]


@pytest.mark.parametrize("number", [", org.nr. 981 953 134", ""])
def test_notice_that_its_holder_announced_under_itself_links_no_other_message_of_it(number: str) -> None:
    """«Eksempel ASA» announces under its own sign what it holds in another issuer."""
    batches = read("no.newsweb", flag(issuer=f"Eksempel Bio ASA{number}", holder="Eksempel ASA"), "message.json")
    (row,) = rows(batches, FLAGS.name)
    assert (row["issuerId"], row["issuerSign"], row["issuerName"]) == (None, None, None)
    assert row["organisasjonsnummer"] == ("981953134" if number else None)
    assert ("issuer_differs", "section 1") in signals(batches)
    (own,) = rows(read("no.newsweb", flag(issuer=f"Eksem pel\nASA{number}"), "message.json"), FLAGS.name)
    assert (own["issuerId"], own["issuerName"]) == ("1309", "Eksempel ASA")


def test_notices_one_a_line_are_read_like_messages() -> None:
    notice = {
        "messageId": 675511,
        "title": "Flagging",
        "issuerName": "Eksempel ASA",
        "issuerSign": "EKS",
        "publishedAt": "2026-06-05T11:39:56.422Z",
        "categories": ["FLAGGING"],
        "markets": ["XOSL"],
        "hasAttachments": True,
        "bodyText": "Please see attachment",
        "pdfSupplementText": form(day="4 June 2026"),
    }
    body = "\n".join(json.dumps(row) for row in (notice, notice | {"messageId": 1, "categories": ["NYTT"]})).encode()
    batches = read("no.newsweb", body, "notices.jsonl")
    assert [row["category"] for row in rows(batches, MESSAGES.name)] == [["1006"], []]
    assert [row["name"] for row in rows(batches, FLAGS.name)] == ["Eier Invest AS"]
    assert signals(batches) == {("unknown_code", "category NYTT"): 1}


def test_the_directory_of_issuers() -> None:
    issuer = {
        "issuerId": 1309,
        "id": "EQNR",
        "symbol": "EQNR",
        "issuerSign": "EQNR",
        "name": "Equinor ASA",
        "isActive": 1,
    }
    (row,) = rows(read("no.newsweb", envelope({"issuers": [issuer]}), "issuers.json"), "no_newsweb_utsteder")
    assert row == {"issuerId": "1309", "issuerSign": "EQNR", "issuerName": "Equinor ASA", "isActive": True}


def test_unknown_members_are_told() -> None:
    told = signals(read("no.newsweb", listed(message(category=1104, embargo=1)), "list.json"))
    assert told == {("unknown_key", "embargo"): 1}


def test_what_is_no_announcement() -> None:
    assert isinstance(DATASET.recognise_file("newsweb/list.json", listed()), RecognisedFile)
    assert isinstance(DATASET.recognise_file("newsweb/urls.json", b'{"api_large":"https://x"}'), NotApplicable)
    categories = envelope({"categories": [{"id": 1001}]})
    assert isinstance(DATASET.recognise_file("newsweb/categories.json", categories), NotApplicable)
    for body in (b"<html></html>", b"{", b"{}", envelope({})):
        with pytest.raises(UnreadableFileError):
            read("no.newsweb", body, "x.json")


def test_a_text_of_a_report_is_staged_once() -> None:
    (row,) = rows(read("no.newsweb", whole(), "message.json"), TEXTS.name)
    assert (row["period_end"], row["issuerName"]) == (date(2025, 12, 31), "Eksempel ASA")


@check_cases(
    ("name", "value"),
    [
        ("category", ["x"]),
        ("category", 7),
        ("markets", 7),
        ("markets", [7]),
        ("attachments", 7),
        ("attachments", ["x"]),
        ("numbAttachments", 10**30),
        ("numbAttachments", "2"),
        ("issuerId", {}),
    ],
)
def test_a_member_of_another_type_is_told_and_the_row_is_kept(name: str, value: object) -> None:
    category = {"category": [{"id": 1001}]} | {name: value}
    batches = read("no.newsweb", envelope({"message": message() | category}), "message.json")
    assert signals(batches) == {("unreadable_value", name): 1}
    assert len(rows(batches, MESSAGES.name)) == 1


@pytest.mark.parametrize("value", [7, "YEAR", [7]])
def test_categories_of_another_type_in_a_notice_are_no_crash(value: object) -> None:
    notice = {"messageId": 1, "publishedAt": "2026-06-05T11:39:56Z", "categories": value, "bodyText": 7}
    batches = read("no.newsweb", json.dumps(notice).encode(), "notices.jsonl")
    assert [row["category"] for row in rows(batches, MESSAGES.name)] == [[]]
    assert {code for code, _ in signals(batches)} <= {"unreadable_value", "unknown_code"}


@pytest.mark.parametrize(
    "value",
    ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59Z", "2026-06-05T23:39:56.422"],
)
def test_an_instant_at_the_ends_of_the_calendar_or_without_a_zone_is_refused(value: str) -> None:
    assert rejects(read("no.newsweb", whole(publishedTime=value), "message.json")) == ["no publishedTime"]


@check_cases("value", ["²", "١", "9" * 20, 10**20, "-1", True])
def test_a_number_that_is_no_integer_of_64_bits_is_refused(value: object) -> None:
    batches = read("no.newsweb", envelope({"message": message() | {"messageId": value}}), "message.json")
    assert rejects(batches) == [f"no messageId: {value!r}"]


def test_a_bound_of_votes_is_a_band_and_an_empty_cell_no_share() -> None:
    wanted = ("votes_pct", "votes_min", "votes_max", "basis", "ended_on")
    band = tables(flag(now="Below 5 % 0 Below 5 %"))["holdings"]
    assert band.select(wanted).rows() == [(None, Decimal(0), Decimal(5), "band", None)]
    empty = tables(flag(now="N/A 5.20 % 5.20 % 100,000,000"))["holdings"]
    assert empty.select(wanted).rows() == [(None, None, None, None, None)]


def test_a_period_that_headline_and_text_contradict_is_null_in_the_filing() -> None:
    (found,) = filings(whole(body="Accounts for the year ended 31 December 2024"))
    assert found["period_end"] is None
