"""Generates texts of major holding notices of Swedish issuers, in both languages (docs/formats/se.md 8.3).

Belongs here: sentences, tables of before and after, the form of Finansinspektionen; a comment and a holding
in another company, which are not notices. Does not belong here: the release around a text (`news.mfn`,
`exchange_releases`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from html import escape
from typing import Final

from sandbox.companies.se.vocabulary import ELSEWHERE
from sandbox.model.company import Company
from sandbox.model.se import HoldingNotice, VotingStake
from sandbox.vocabulary import MONTHS

Rows = tuple[tuple[str, ...], ...]
_MONTHS: Final = {
    "sv": (
        "januari", "februari", "mars", "april", "maj", "juni", "juli", "augusti", "september", "oktober",
        "november", "december",
    ),
    "en": MONTHS,
}  # fmt: skip
_TITLES: Final = {
    ("notice", "sv"): "Flaggningsmeddelande i {issuer}",
    ("notice", "en"): "Major shareholder announcement in {issuer}",
    ("comment", "sv"): "{issuer} kommenterar uppgifter om flaggning",
    ("comment", "en"): "{issuer} comments on a flagging notice",
    ("elsewhere", "sv"): "{issuer} flaggar i {other}",
    ("elsewhere", "en"): "{issuer}: flagging notice regarding {other}",
}
_CORRECTION: Final = {"sv": "Rättelse: ", "en": "Correction: "}
_PROSE: Final = {
    "sv": "{issuer} har mottagit ett flaggningsmeddelande från {holder}. Efter en transaktion den {day} uppgår"
    " innehavet till {count} aktier, vilket motsvarar {shares} procent av kapitalet och {votes} procent av"
    " rösterna i bolaget.",
    "en": "{issuer} has received a notification from {holder}. Following a transaction on {day} the holding"
    " amounts to {count} shares, corresponding to {shares} per cent of the capital and {votes} per cent of the"
    " votes in the company.",
}
_FROM_TO: Final = {
    "sv": "{holder} har den {day} {moved} sitt innehav i {issuer} från {shares_before} procent av kapitalet och"
    " {votes_before} procent av rösterna till {shares} procent av kapitalet och {votes} procent av rösterna.",
    "en": "{holder} has {moved} its holding in {issuer} on {day}, from {shares_before}% of the share capital and"
    " {votes_before}% of the votes to {shares}% of the share capital and {votes}% of the votes.",
}
_MOVED: Final = {"sv": ("ökat", "minskat"), "en": ("increased", "reduced")}
_BOUND: Final = {
    "sv": "{holder} har meddelat {issuer} att innehavet den {day} {passed} {limit} procent av såväl aktierna som"
    " rösterna.",
    "en": "{holder} has notified {issuer} that its holding on {day} {passed} {limit} per cent of both the shares"
    " and the votes.",
}
_PASSED: Final = {"sv": ("översteg", "understeg"), "en": ("exceeded", "fell below")}
_COMMENT: Final = {
    "sv": "Med anledning av uppgifter om en flaggning vill {issuer} framhålla att bolaget inte har något att"
    " tillägga. Flaggning ska ske när ett innehav passerar 5, 10, 15, 20, 25, 30, 50, 66 2/3 eller 90 procent av"
    " aktierna eller rösterna.",
    "en": "With reference to reports of a flagging notice {issuer} has nothing to add. A holding is to be"
    " notified when it passes 5, 10, 15, 20, 25, 30, 50, 66 2/3 or 90 per cent of the shares or votes.",
}
_ELSEWHERE: Final = {
    "sv": "{issuer} har den {day} ökat sitt innehav i {other} till {shares} procent av kapitalet och {votes}"
    " procent av rösterna.",
    "en": "{issuer} has increased its holding in {other} on {day} to {shares} per cent of the capital and"
    " {votes} per cent of the votes.",
}
_HEAD: Final = {
    "sv": ("", "Antal aktier", "Andel av aktierna", "Antal röster", "Andel av rösterna"),
    "en": ("", "Number of shares", "Share of capital", "Number of votes", "Share of votes"),
}
_SIDES: Final = {
    "sv": ("Före transaktionen", "Efter transaktionen"),
    "en": ("Before the transaction", "After the transaction"),
}
_INTRODUCED: Final = {
    "sv": "{issuer} har tagit emot en anmälan från {holder} med anledning av en transaktion den {day}.",
    "en": "{issuer} has received a notification from {holder} concerning a transaction on {day}.",
}
_FORM: Final = {
    "sv": (
        "Instrument", "Före transaktionen", "Aktier", "Uppgift saknas", "Transaktion", "Skäl för flaggning", "Köp",
        "Datum", "Gräns för antal aktier", "Efter transaktionen", "Antal", "Andel", "Direkt innehavda aktier",
        "Direkt innehavda röster", "Indirekt innehavda röster",
    ),
    "en": (
        "Instrument", "Before the transaction", "Shares", "Data not given*", "Transaction",
        "Reason for major shareholding notification", "Buy", "Date", "Limit for number of shares",
        "After the transaction", "Quantity", "Percentage", "Directly held shares", "Directly held voting rights",
        "Indirectly held voting rights",
    ),
}  # fmt: skip


def total_shares(company: Company) -> int:
    """Total shares of an issuer."""
    return 40_000_000 + company.position * 1_000


def notice_title(company: Company, notice: HoldingNotice, language: str) -> str:
    """The headline."""
    kind = notice.wording if notice.wording in ("comment", "elsewhere") else "notice"
    said = _TITLES[kind, language].format(issuer=company.name, other=ELSEWHERE)
    return f"{_CORRECTION[language]}{said}" if notice.corrects is not None else said


def notice_html(company: Company, notice: HoldingNotice, language: str) -> str:
    """The body: paragraphs and tables."""
    return _WRITERS[notice.wording](company, notice, language)


def _pattern_values(company: Company, notice: HoldingNotice, language: str) -> dict[str, str]:
    now, before = notice.now, notice.before or VotingStake()
    is_up = now.least >= before.least
    limit = now.above or now.below
    return {
        "issuer": company.name,
        "holder": notice.holder,
        "other": ELSEWHERE,
        "day": _date_text(notice.crossed_on, language),
        "count": _share_count(company, now.shares, language),
        "shares": _decimal_text(now.shares, language),
        "votes": _decimal_text(now.votes, language),
        "shares_before": _decimal_text(before.shares, language),
        "votes_before": _decimal_text(before.votes, language),
        "moved": _MOVED[language][not is_up],
        "passed": _PASSED[language][now.above is None],
        "limit": "" if limit is None else str(limit),
    }


def _date_text(day: date, language: str) -> str:
    return f"{day.day} {_MONTHS[language][day.month - 1]} {day.year}"


def _decimal_text(percent: Decimal | None, language: str) -> str:
    if percent is None:
        return ""
    return f"{percent:.2f}".replace(".", ",") if language == "sv" else f"{percent:.2f}"


def _share_count(company: Company, percent: Decimal | None, language: str) -> str:
    if percent is None:
        return ""
    grouped = f"{int(total_shares(company) * percent / 100):,}"
    return grouped.replace(",", " ") if language == "sv" else grouped


def _prose_writer(patterns: dict[str, str]) -> Callable[[Company, HoldingNotice, str], str]:
    def write(company: Company, notice: HoldingNotice, language: str) -> str:
        return _paragraph_html(patterns[language].format_map(_pattern_values(company, notice, language)))

    return write


def _paragraph_html(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _holdings_table(company: Company, notice: HoldingNotice, language: str) -> str:
    """A table with a row for each side of the transaction: number of shares, their percentage, then the votes."""
    stakes = (notice.before or empty_stake(), notice.now)
    rows = tuple(
        (side, *_stake_cells(company, one.shares, language), *_stake_cells(company, one.votes, language))
        for side, one in zip(_SIDES[language], stakes, strict=True)
    )
    introduced = _INTRODUCED[language].format_map(_pattern_values(company, notice, language))
    return _paragraph_html(introduced) + _html_table((_HEAD[language], *rows))


def _stake_cells(company: Company, percent: Decimal | None, language: str) -> tuple[str, str]:
    return _share_count(company, percent, language), _percent_text(percent, language)


def empty_stake() -> VotingStake:
    """The zero stake of a holder without an earlier notice."""
    return VotingStake(Decimal(0), Decimal(0))


def _percent_text(percent: Decimal | None, language: str) -> str:
    return f"{_decimal_text(percent, language)} %"


def _official_form(company: Company, notice: HoldingNotice, language: str) -> str:
    """The form of Finansinspektionen, with votes in two parts; the holder is named above it."""
    words = _FORM[language]
    instrument, before, shares, nothing, moved, reason, buy, day, limit, after, count, share, *held = words
    part = (notice.now.votes or Decimal(0)) / 4
    parts = (notice.now.shares, (notice.now.votes or Decimal(0)) - part, part)
    rows = (
        (instrument, "Stamaktie"), (before, ""), (shares, nothing), (moved, ""), (reason, buy),
        (day, f"{notice.crossed_on:%d/%m/%Y}"), (limit, "50 %"), (after, ""), (count, ""),
        (shares, _share_count(company, notice.now.shares, language)), (share, ""),
        *((name, _percent_text(one, language)) for name, one in zip(held, parts, strict=True)),
    )  # fmt: skip
    return f"{_paragraph_html(company.name)}{_paragraph_html(notice.holder)}{_html_table(rows)}"


def _html_table(rows: Rows) -> str:
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


_WRITERS: Final[dict[str, Callable[[Company, HoldingNotice, str], str]]] = {
    "prose": _prose_writer(_PROSE),
    "from_to": _prose_writer(_FROM_TO),
    "bound": _prose_writer(_BOUND),
    "table": _holdings_table,
    "form": _official_form,
    "comment": _prose_writer(_COMMENT),
    "elsewhere": _prose_writer(_ELSEWHERE),
}
