"""Generates texts of flagging notifications, as issuers publish them in the form of the Finnish supervisor.

See docs/formats/fi.md 6.3.

Belongs here: one notification -> paragraphs and tables, in the layouts that occur: a table, a table flattened to
lines with shares and votes in one cell, one drawn with characters, one in Finnish with decimal commas. Does not
belong here: the release around it (`exchange_releases`).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from html import escape
from itertools import zip_longest
from typing import Final

from sandbox.model.company import Company
from sandbox.model.fi import HoldingPosition, PlannedFlagging
from sandbox.numbers import sandbox_isin
from sandbox.vocabulary import MONTHS

_ISIN_STEM: Final = 990_000_000
_WIDTH: Final = 24
Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph, or a table of rows; a `drawn` table is text with lines of characters."""

    text: str = ""
    rows: Rows = ()
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class _FormWords:
    """The texts of the form in one language."""

    informed: str
    position_of: str
    head: tuple[str, ...]
    now: str
    before: str
    below: str
    details: str
    part_a: str
    parts_head: Rows


_PARTS: Final = ("Direct (SMA 9:5)", "Indirect (SMA 9:6 and 9:7)")
_ENGLISH: Final = _FormWords(
    informed="{holder} has informed {issuer} that it has crossed the disclosure limit on shares and voting rights"
    " on {day}.",
    position_of="Total position of {holder} and its funds subject to the notification:",
    head=(
        "",
        "% of shares and voting rights",
        "% of shares and voting rights through financial instruments",
        "Total of both in %",
        "Total number of shares and voting rights of issuer",
    ),
    now="Resulting situation on the date on which threshold was crossed or reached",
    before="Position of previous notification (if applicable)",
    below="Below 5%",
    details="Notified details of the resulting situation on the date on which the threshold was crossed:",
    part_a="A: Shares and voting rights",
    parts_head=(
        ("Class/type of shares", "Number of shares and voting rights", "", "% of shares and voting rights", ""),
        ("", *_PARTS, *_PARTS),
    ),
)
_FINNISH: Final = _FormWords(
    informed="{holder} on ilmoittanut, että sen omistus yhtiössä {issuer} on muuttunut {day}.",
    position_of="{holder}, ilmoituksen mukainen kokonaisosuus:",
    head=(
        "",
        "% osakkeista ja äänistä",
        "% osakkeista ja äänistä rahoitusvälineiden kautta",
        "Yhteenlaskettu %-osuus",
        "Kohdeyhtiön osakkeiden ja äänten kokonaismäärä",
    ),
    now="Osuus liputusrajan saavuttamisen tai rikkoutumisen jälkeen",
    before="Edellisessä liputusilmoituksessa ilmoitettu osuus (jos liputettu)",
    below="Alle 5 %",
    details="Tiedot osuudesta liputusrajan saavuttamisen tai rikkoutumisen jälkeen:",
    part_a="A: Osakkeet ja äänet",
    parts_head=(
        ("Osakelaji", "Osakkeiden ja äänten lukumäärä", "", "% osakkeista ja äänistä", ""),
        ("", *(("Suora (AML 9:5)", "Välillinen (AML 9:6 ja 9:7)") * 2)),
    ),
)


def notification_blocks(company: Company, flagging: PlannedFlagging, language: str) -> list[TextBlock]:
    """Blocks of one notification."""
    finnish = language == "fi"
    words = _FINNISH if finnish else _ENGLISH
    day = flagging.crossed_on
    said = f"{day.day}.{day.month}.{day.year}" if finnish else f"{day.day} {MONTHS[day.month - 1]} {day.year}"
    names = {"holder": flagging.holder, "issuer": company.name, "day": said}
    form = _FormWriter(words, finnish=finnish, total=total_shares(company))
    return [
        TextBlock(words.informed.format_map(names)),
        TextBlock(words.position_of.format_map(names)),
        TextBlock(rows=form.positions(flagging), drawn=flagging.style == "ascii"),
        TextBlock(words.details),
        TextBlock(words.part_a),
        TextBlock(rows=form.parts(company, flagging.now)),
    ]


def total_shares(company: Company) -> int:
    """Total shares of an issuer, one vote each."""
    return 50_000_000 + company.position * 1_250


@dataclass(frozen=True, slots=True)
class _FormWriter:
    words: _FormWords
    finnish: bool
    total: int

    def positions(self, flagging: PlannedFlagging) -> Rows:
        """The two main rows: the current position and that of the previous notification."""
        now = (self.words.now, *self._position_cells(flagging.now), self._number_text(self.total))
        before: tuple[str, ...] = (self.words.before, "", "", "", "")
        if flagging.before is not None:
            before = (self.words.before, *self._position_cells(flagging.before), "")
        return self.words.head, now, before

    def _position_cells(self, position: HoldingPosition) -> tuple[str, str, str]:
        """Cells for shares held, instruments and the sum; if votes differ from shares, one cell has both."""
        return (
            self._share_vote_text(position.shares, position.votes),
            self._percent_text(_instruments_pct(position)),
            self._share_vote_text(
                position.total, position.votes if position.votes != position.shares else position.total
            ),
        )

    def _share_vote_text(self, shares: Decimal | None, votes: Decimal | None) -> str:
        if shares == votes:
            return self._percent_text(shares)
        share_word, vote_word = ("osakkeista", "äänistä") if self.finnish else ("shares", "voting rights")
        return f"{self._percent_text(shares)} {share_word}\n{self._percent_text(votes)} {vote_word}"

    def _percent_text(self, percent: Decimal | None) -> str:
        if percent is None:
            return self.words.below
        return f"{percent:.2f}".replace(".", ",") + " %" if self.finnish else f"{percent:.2f}%"

    def _number_text(self, number: int) -> str:
        return f"{number:,}".replace(",", " " if self.finnish else ",")

    def parts(self, company: Company, position: HoldingPosition) -> Rows:
        """Rows of part A: direct or indirect holding, then the subtotal."""
        held = "" if position.shares is None else self._number_text(int(position.shares * self.total / 100))
        percent = self._percent_text(position.shares)
        numbers, percents = ("", held), ("", percent)
        if not position.indirect:
            numbers, percents = numbers[::-1], percents[::-1]
        named = (sandbox_isin(f"FI{_ISIN_STEM + company.position}"), *numbers, *percents)
        return *self.words.parts_head, named, ("SUBTOTAL A", held, percent)


def _instruments_pct(position: HoldingPosition) -> Decimal | None:
    """Share held through instruments; None if the position is not stated."""
    if position.total is None or position.shares is None:
        return None
    return position.total - position.shares


def blocks_as_html(blocks: list[TextBlock]) -> str:
    """The body of the release's page."""
    return "\n".join(_block_html(block) for block in blocks)


def _block_html(block: TextBlock) -> str:
    if block.drawn:
        return f"<pre>{escape(_character_table(block.rows))}</pre>"
    if not block.rows:
        return f"<p>{escape(block.text)}</p>"
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell).replace(chr(10), '<br/>')}</td>" for cell in row) + "</tr>"
        for row in block.rows
    )
    return f'<table class="hugin">\n{rows}\n</table>'


def _character_table(rows: Rows) -> str:
    """A table of characters: every cell broken into lines of its column's width."""
    width = max(len(row) for row in rows)
    line = "+" + "+".join("-" * _WIDTH for _ in range(width)) + "+"
    found = [line]
    for row in rows:
        cells = [_wrap_cell(cell) for cell in (*row, *("",) * (width - len(row)))]
        for parts in zip_longest(*cells, fillvalue=""):
            found += ["|" + "|".join(part.ljust(_WIDTH) for part in parts) + "|"]
        found.append(line)
    return "\n".join(found)


def _wrap_cell(cell: str) -> list[str]:
    lines = [""]
    for word in cell.split():
        if len(lines[-1]) + len(word) + 1 > _WIDTH:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
