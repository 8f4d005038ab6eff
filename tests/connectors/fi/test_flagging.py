"""Flagging notifications: every shape of the supervisor's form, bands, shares and votes apart, Finnish decimals."""

import codecs
import gzip
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.fi import FINLAND
from connectors.nasdaq.major_holdings.holder_types import holder_type
from tests.connectors.fi.finnish_files import (
    FLAGGING,
    INSTANT,
    ONE,
    RELEASES,
    day,
    present,
    read,
    reasons,
    release,
    rows,
    signals,
)
from tests.tables import check_cases

COMPANY = f"firm:FI:{ONE}"
ENGLISH = "Sijoittaja Oy has informed Esimerkki Oyj that it has crossed the 5% limit on 3 March 2026."
FINNISH = "Sijoittaja Oy on ilmoittanut, että sen omistus yhtiössä Esimerkki Oyj on muuttunut 3.3.2026."
HEAD = "% of shares and voting rights | % through financial instruments | Total of both in % | Total number of shares |"
NOW = "Resulting situation on the date on which threshold was crossed or reached"
BEFORE = "Position of previous notification (if applicable)"
OWNER = "Total position of Sijoittaja Oy and its funds subject to the notification:"
DETAILS = "Notified details of the resulting situation on the date on which the threshold was crossed:\nA: Shares"


def form(now: str, before: str = "", more: str = "") -> str:
    return f"Release 4 March 2026 at 9:00 EET\n{ENGLISH}\n{OWNER}\n| {HEAD}\n{NOW} | {now}\n{BEFORE} | {before}\n{DETAILS}\n{more}"


def one(text: str) -> dict[str, Any]:
    body = json.dumps({"url": "https://example.com/a", "text": text}).encode()
    found = read(FLAGGING, body)
    assert reasons(found) == []
    (row,) = rows(found)
    return row


def percents(text: str) -> tuple[Any, ...]:
    found = one(text)
    return tuple(
        None if found[key] is None else str(found[key].normalize())
        for key in ("shares", "sharesBelow", "votes", "votesBelow", "instruments", "total")
    )


@check_cases(
    "now",
    [
        "5.04% | 0.43% | 5.47% | 591,723,390 |",
        "\n5.04% |\n0.43% |\n5.47% |\n591,723,390 |",
        "5.04 % 0.43 % 5.47 % 591 723 390",
        "5,04 % | 0,43 % | 5,47 % | 591 723 390 |",
        "5.04 | 0.43 | 5.47 | 591,723,390 |",
    ],
)
def test_the_row_of_the_new_situation_however_it_is_laid_out(now: str) -> None:
    assert percents(form(now, "4.95% | 0.44% | 5.39% | |")) == ("5.04", None, "5.04", None, "0.43", "5.47")


def test_holder_issuer_day_and_the_notification_before() -> None:
    found = one(form("5.04% | 0.43% | 5.47% |", "4.95% | 0.44% | 5.39% |"))
    assert (found["holder"], found["holderKey"], found["issuer"], found["issuerKey"]) == (
        "Sijoittaja Oy", "sijoittaja oy", "Esimerkki Oyj", "esimerkki")  # fmt: skip
    assert (found["day"], str(found["previousShares"])) == (day("2026-03-03"), "4.9500")


def test_below_a_limit_is_a_band_and_no_figure() -> None:
    assert percents(form("Below 5% | Below 5% | Below 5% | 591,723,390 |", "4.97% | 0.19% | 5.16% |")) == (
        None, "5", None, "5", None, None)  # fmt: skip


def test_shares_and_votes_of_one_cell_are_kept_apart() -> None:
    cell = "4.99% shares\n\nBelow 5% voting rights\n0.05% shares\n\nBelow 5% voting rights\n5.04% shares\n\nBelow 5% voting rights\n"
    assert percents(form(cell)) == ("4.99", None, None, "5", "0.05", "5.04")
    swapped = "24.99% of shares 31.10% of votes | 0.30% | 25.29% of shares 31.40% of votes |"
    assert percents(form(swapped)) == ("24.99", None, "31.1", None, "0.3", "25.29")


def test_where_only_one_of_both_is_given_the_other_stays_null() -> None:
    assert percents(form("9.80% shares | 0.10% shares | 9.90% shares |"))[:4] == ("9.8", None, None, None)


def test_a_table_drawn_with_characters() -> None:
    drawn = """
+----------------+------+-----------+-----+----------------------+
| |% of |% of shares|% of |Total number of shares|
| |shares|and voting |total|and voting rights of |
+----------------+------+-----------+-----+----------------------+
|Resulting | Below| 0.19%| 5.| 591,723,390|
|situation on the| 5%| |00%| |
|date on | | | | |
|which the | | | | |
|threshold was | | | | |
|crossed or | | | | |
|reached | | | | |
+----------------+------+-----------+-----+----------------------+
|Position of | 4.97%| 0.19%|5.16%| |
|previous | | | | |
|notification (if| | | | |
|applicable) | | | | |
+----------------+------+-----------+-----+----------------------+
"""
    found = one(f"{ENGLISH}\n{OWNER}\n{drawn}\n{DETAILS}")
    assert (found["shares"], found["sharesBelow"], str(found["previousShares"])) == (None, Decimal(5), "4.9700")
    assert str(found["total"]) == "5.0000"  # broken over two lines of its cell


def test_the_finnish_form_with_its_commas() -> None:
    text = (
        f"{FINNISH}\nSijoittaja Oy, ilmoituksen mukainen kokonaisosuus:\n"
        "Osuus liputusrajan saavuttamisen tai rikkoutumisen jälkeen | 19,95 % | 0,30 % | 20,25 % | 50 001 250 |\n"
        "Edellisessä liputusilmoituksessa ilmoitettu osuus (jos liputettu) | Alle 5 % | Alle 5 % | Alle 5 % | |\n"
        "Tiedot osuudesta liputusrajan saavuttamisen tai rikkoutumisen jälkeen:\nA: Osakkeet"
    )
    assert percents(text) == ("19.95", None, "19.95", None, "0.3", "20.25")
    found = one(text)
    assert (found["holder"], found["issuer"], found["day"]) == ("Sijoittaja Oy", "Esimerkki Oyj", day("2026-03-03"))


def test_an_issuers_own_table_whose_cells_run_into_each_other() -> None:
    text = (
        "JulkaisupäiväTapahtumapäiväOsakkeenomistajaKynnysSuora omistus %Kokonaisomistus %\n"
        "5.6.202419.4.2024Oma Nimi yli 30 %47,59 %47,60 %\n5.6.202418.4.2024Vakuutusyhtiö Xyli 5 %0,2 %8,6 %"
    )
    found = rows(read(FLAGGING, json.dumps({"url": "u", "text": text}).encode()))
    assert [(row["holder"], str(row["shares"]), row["votes"], row["day"]) for row in found] == [
        ("Oma Nimi", "47.6000", None, day("2024-04-19")),
        ("Vakuutusyhtiö X", "8.6000", None, day("2024-04-18")),
    ]


def test_direct_and_indirect_alone_or_nothing_but_the_total() -> None:
    assert one(form("5.04% | | | 591,723,390 |", more="SUBTOTAL A | 29,840,198 | 5.04% |"))["isTotal"] is False
    total = one(form("5.04% | 591,723,390 |"))
    assert (total["isTotal"], str(total["shares"]), str(total["total"])) == (True, "5.0400", "5.0400")
    nothing_in_b = percents(form("5.04% | - | 5.04% |"))
    assert nothing_in_b == ("5.04", None, "5.04", None, None, "5.04")


@check_cases(
    "now",
    [
        "- | 5.10% | 5.10% |",
        " | 5.10% | 5.10% |",
        "N/A | 5.10% | 5.10% | 591,723,390 |",
        " | 5.10% | 5.10% | |",
        "\n-\n5.10%\n5.10%\n591 723 390\n",
        "- 5.10 % 5.10 % 591 723 390",
    ],
)
def test_an_empty_part_a_is_no_holding_of_shares(now: str) -> None:
    text = form(now).replace(f"{NOW} | \n", f"{NOW}\n").replace(f"{NOW} | - 5", f"{NOW} - 5")
    assert percents(text) == (None, None, None, None, "5.1", "5.1")
    assert one(text)["isTotal"] is False


def test_where_the_columns_are_unknown_the_last_figure_is_the_total() -> None:
    found = one(form("\n5.04%\n5.47%\n591 723 390\n").replace(f"{NOW} | ", NOW))
    assert (str(found["shares"]), str(found["total"]), found["isTotal"]) == ("5.4700", "5.4700", True)
    assert found["instruments"] is None


@check_cases(
    ("now", "due"),
    [
        ("<5% | 0.43% | <5%", (None, "5", None, "5", "0.43", None)),
        ("< 5 % | 0.43% | ≤ 5 % |", (None, "5", None, "5", "0.43", None)),
        ("‹5% | 0.43% | 5.43% |", (None, "5", None, "5", "0.43", "5.43")),
        ("Below five (5) % | 0 | 4%", (None, "5", None, "5", "0", "4")),
        ("five (5) % | 0 | 5%", ("5", None, "5", None, "0", "5")),
    ],
)
def test_every_word_and_mark_of_a_limit_is_a_limit(now: str, due: tuple[str | None, ...]) -> None:
    assert percents(form(now)) == due


@check_cases("word", ["Above ", "over ", "more than ", "yli ", "> ", ">"])
def test_above_a_limit_is_a_band_and_no_figure(word: str) -> None:
    text = form(f"{word}5% | 0.43% | {word}5% |")
    found = one(text)
    assert (found["shares"], found["sharesAbove"], found["votesAbove"]) == (None, Decimal(5), Decimal(5))
    (held,) = holdings(("b1", text))
    assert tuple(str(held[key]) for key in ("pct", "pct_min", "pct_max", "votes_min", "basis")) == (
        "None", "5.0000", "100.0000", "5.0000", "band")  # fmt: skip


def test_a_line_of_an_issuers_table_without_a_day_of_the_calendar_costs_itself_only() -> None:
    text = (
        "JulkaisupäiväTapahtumapäiväOsakkeenomistajaKynnysSuora omistus %Kokonaisomistus %\n"
        "5.6.202431.4.2024Oma Nimi yli 30 %47,59 %47,60 %\n5.6.202418.4.2024Vakuutusyhtiö Xyli 5 %0,2 %8,6 %"
    )
    found = read(FLAGGING, json.dumps({"url": "u", "text": text}).encode())
    assert [row["holder"] for row in rows(found)] == ["Vakuutusyhtiö X"]
    assert reasons(found) == ["31.4.2024 is no day"]


def test_texts_with_a_byte_order_mark_or_packed_read_alike() -> None:
    body = json.dumps({"url": "u", "text": form("5.04% | 0.43% | 5.47% |")}).encode()
    for packed in (codecs.BOM_UTF8 + body, gzip.compress(body), gzip.compress(codecs.BOM_UTF8 + body)):
        assert FLAGGING.recognise_file("x", packed) == RecognisedFile(None, Scope.PART)
        assert len(rows(read(FLAGGING, packed))) == 1


def test_parts_that_do_not_make_the_total_are_told() -> None:
    body = {"url": "u", "text": form("5.04% | 0.43% | 9.99% |")}
    assert ("does_not_add_up", "total of A + total of B = A + B") in signals(read(FLAGGING, json.dumps(body).encode()))
    rounded = {"url": "u", "text": form("5.04% | 0.43% | 5.48% |")}
    assert not signals(read(FLAGGING, json.dumps(rounded).encode()))


@check_cases(
    ("text", "why"),
    [
        (ENGLISH, "no row of the resulting situation"),
        (f"{OWNER}\n{NOW} | |\n{BEFORE}", "no percentages"),
        (f"{NOW} | 5.04% | 0.1% | 5.14% |\n{BEFORE}", "no holder"),
        (f"{OWNER}\n{NOW} | 1% | 2% | 3% | 4% |\n{BEFORE}", "expected three percentages in a row of the form, found 4"),
        (f"{OWNER}\n{NOW} | ca. 5% | 0.1% | 5.1% |\n{BEFORE}", "«ca.» in front"),
        (f"{OWNER}\n{NOW} | -5% | 0.1% | 5.1% |\n{BEFORE}", "«-» in front"),
        (f"{OWNER}\n{NOW} | see below | 0.1% | 5.1% |\n{BEFORE}", "«see below»"),
        (f"{OWNER}\n{NOW} | 5% | 3% | |\n{BEFORE}", "no total"),
        (f"{OWNER}\n{NOW} | 591% | 2% | 3% |\n{BEFORE}", "591"),
    ],
)
def test_a_text_that_does_not_read_is_listed_with_its_reason(text: str, why: str) -> None:
    found = read(FLAGGING, json.dumps({"url": "u", "text": text}).encode())
    assert rows(found) == []
    assert why in reasons(found)[0]


def test_a_page_of_the_exchange_is_known_by_its_id() -> None:
    table = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
        for row in ((NOW, "5.04% shares<br/>6.10% voting rights", "0.43%", "5.47%"), (BEFORE, "", "", ""))
    )
    page = f"<!DOCTYPE html><html><head><style>5%</style></head><body><p>{ENGLISH}</p><p>{OWNER}</p><table>{table}</table></body></html>"
    (row,) = rows(read(FLAGGING, page.encode(), name="nasdaq_cns/b77_en.html"))
    assert (row["messageId"], row["source"]) == ("b77", "b77_en.html")
    assert (str(row["shares"]), str(row["votes"])) == ("5.0400", "6.1000")


def test_a_number_of_the_issuer_in_the_text_tells_its_company() -> None:
    text = form("5.04% | 0.43% | 5.47% |").replace(
        ENGLISH,
        f"Esimerkki Oyj (business code {ONE}) has received a disclosure, of a holder (business code 0100379-9), on 3 March 2026.",
    )
    found = read(FLAGGING, json.dumps({"url": "u", "text": text}).encode())
    assert FINLAND.company_ids_of_rows("fi_liputus", found[0].rows).to_list() == [COMPANY]


def test_what_is_not_ours_and_what_is_damaged() -> None:
    assert isinstance(FLAGGING.recognise_file("x", b"plain text"), NotApplicable)
    assert isinstance(FLAGGING.recognise_file("x", b'{"a":1}'), NotApplicable)
    assert FLAGGING.recognise_file("x", b"<html></html>") == RecognisedFile(None, Scope.PART)
    for body in (b'{"url":"u"}', b'{"url":"u","text":'):
        with pytest.raises(UnreadableFileError):
            read(FLAGGING, body)


@check_cases(
    ("name", "kind"),
    [
        ("BlackRock, Inc.", "company"), ("Keskinäinen Eläkevakuutusyhtiö Ilmarinen", "unknown"), ("Ilmarinen Oy", "company"),
        ("Ada Esimerkki", "unknown"), ("OP-Suomi Pienyhtiöt -sijoitusrahasto", "fund"), ("State of Finland", "state"),
    ],
)  # fmt: skip
def test_the_kind_of_a_holder_is_told_by_its_mark_alone(name: str, kind: str) -> None:
    assert holder_type(name) == kind


def holdings(*texts: tuple[str, str], **released: str) -> list[dict[str, Any]]:
    """Holdings of one company: notifications and the releases that name their pages, both linked.

    released: days of releases by page; 2026-03-04 of the others.
    """
    pages = [
        read(FLAGGING, f"<html><body><pre>{text}</pre></body></html>".encode(), name=f"{key}_en.html")
        for key, text in texts
    ]
    listed = [
        release(
            number,
            "x",
            144,
            releaseTime=f"{released.get(key, '2026-03-04')} 07:00:00",
            messageUrl=f"https://view.news.eu.nasdaq.com/view?id={key}&lang=en",
        )
        for number, (key, _) in enumerate(texts)
    ]
    tables = present(*pages, read(RELEASES, {"results": {"item": listed}}))
    linked = {name: frame.with_columns(pl.lit(COMPANY).alias("_company_id")) for name, frame in tables.items()}
    return FINLAND.to_shared_tables(linked, INSTANT.date())["holdings"].to_dicts()


def test_the_newest_notification_of_each_holder_counts() -> None:
    later = form("9.50% | 0.43% | 9.93% |").replace("3 March", "2 April")
    other = form("7.00% | 0.43% | 7.43% |").replace("Sijoittaja", "Toinen")
    found = holdings(("b2", later), ("b1", form("5.04% | 0.43% | 5.47% |")), ("b3", other), b2="2026-04-03")
    assert [(row["native_id"], str(row["pct"]), row["valid_from"]) for row in found] == [
        ("sijoittaja oy", "9.5000", day("2026-04-02")),
        ("toinen oy", "7.0000", day("2026-03-03")),
    ]
    assert found[0]["url"].endswith("id=b2&lang=en")


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("5.04% | 0.43% | 5.47% |", ("5.0400", "5.0400", "5.0400", "exact")),
        ("Below 5% | Below 5% | Below 5% |", ("None", "0.0000", "5.0000", "band")),
        ("5.47% |", ("5.4700", "5.4700", "5.4700", "derived")),
    ],
)
def test_a_figure_is_exact_below_a_limit_is_a_band_and_a_total_is_derived(now: str, due: tuple[str, ...]) -> None:
    (found,) = holdings(("b1", form(now)))
    assert tuple(str(found[key]) for key in ("pct", "pct_min", "pct_max", "basis")) == due


@pytest.mark.parametrize(
    ("now", "ended"),
    [
        ("0.00% | 0.00% | 0.00% |", "2026-03-03"),
        ("0% | 5.10% | 5.10% |", "2026-03-03"),  # instruments alone
        ("0.01% | 0.00% | 0.01% |", None),
        ("0.00% of shares, 7.02% of votes | 0.00% | 7.02% |", None),  # votes of others' shares, by proxy
        ("Below 5% | Below 5% | Below 5% |", None),
    ],
)
def test_who_has_no_shares_left_holds_nothing_any_more(now: str, ended: str | None) -> None:
    (found,) = holdings(("b1", form(now)))
    assert found["ended_on"] == (None if ended is None else day(ended))


TOLD = "Esimerkki Oyj has received a notification"
TOLD_FINNISH = "ilmoituksen, jonka mukaan omistus on noussut 3.3.2026."


@check_cases(
    ("told", "due"),
    [
        (f"{TOLD} on 4 March 2026 from A Oy, according to which it exceeded 5% on 3 March 2026.", "2026-03-03"),
        (f"{TOLD} from Big, Inc. on March 4, 2026. It crossed 5% on March 3, 2026.", "2026-03-03"),
        (f"{TOLD} that its holding exceeded 5% on 3 March 2026.", "2026-03-03"),
        (f"{TOLD} on 4 March 2026.", None),
        ("Esimerkki Oyj has on 4 March 2026 received a notification. It fell on 3 March 2026.", "2026-03-03"),
        (f"Esimerkki Oyj on vastaanottanut 4.3.2026 {TOLD_FINNISH}", "2026-03-03"),
        (f"Esimerkki Oyj on 4.3.2026 vastaanottanut {TOLD_FINNISH}", "2026-03-03"),
    ],
)
def test_the_day_on_which_the_issuer_was_told_is_no_day_of_the_crossing(told: str, due: str | None) -> None:
    found = one(form("5.04% | 0.43% | 5.47% |").replace(ENGLISH, told))
    assert found["day"] == (due and day(due))


@pytest.mark.parametrize("slip", ["3 March 2062", "5 March 2026"])
def test_a_crossing_after_its_release_is_a_slip_and_hides_no_later_notification(slip: str) -> None:
    wrong = form("5.04% | 0.43% | 5.47% |").replace("3 March 2026", slip)
    (alone,) = holdings(("b1", wrong))
    assert alone["valid_from"] == date(2026, 3, 4)
    later = form("9.50% | 0.43% | 9.93% |").replace("3 March", "2 April")
    assert [str(row["pct"]) for row in holdings(("b1", wrong), ("b2", later), b2="2026-04-03")] == ["9.5000"]
    told = signals(read(FLAGGING, json.dumps({"url": "https://example.com/a", "text": wrong}).encode()))
    assert any(code == "impossible_date" for code, _ in told) == (slip == "3 March 2062")


def test_without_a_day_the_release_tells_it() -> None:
    text = form("5.04% | 0.43% | 5.47% |").replace(" on 3 March 2026", "")
    (found,) = holdings(("b1", text))
    assert found["valid_from"] == date(2026, 3, 4)
    assert found["observed_at"] == datetime(2026, 11, 16, 12, tzinfo=UTC)
