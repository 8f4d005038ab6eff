"""Major-holding (flagging) notifications of one market: release pages and copied texts to positions of holders.

Belongs here: the declaration, recognising files, texts to rows. Does not belong here: text extraction
(`flagging_text`), parsing a text (`flagging_form`, `flagging_prose`, `flagging_lists`), holdings (`mapping`).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any, Final

import msgspec

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised, Scope, Unreadable
from connectors.kit import staged
from connectors.kit.chunks import MALFORMED
from connectors.kit.formats import Format, opening, sniff
from connectors.kit.staged import Tally
from connectors.nasdaq import fetching, flagging_lists, flagging_text
from connectors.nasdaq.fields import HOLDER, ISSUER, LICENCE, MESSAGE, RATE, VIEW_HOST
from connectors.nasdaq.flagging_form import Notification
from connectors.nasdaq.flagging_prose import notification
from connectors.nasdaq.flagging_row import Column, Level, NoForm
from connectors.nasdaq.names import holder_key, issuer_key
from warehouse.schema.types import Table

_LARGEST: Final = 16 << 20
_TEXTS: Final = re.compile(rb'\s*\{\s*"(?:url|text)"')
_NAME: Final = re.compile(r"(?<![0-9a-zA-Z])([0-9a-zA-Z]+)_[a-z]{2}\.html?$")
_ROUNDED: Final = Decimal("0.02")
Reader = Callable[[Table, Piece], Iterator[Batch]]


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises pages of releases, and JSON Lines with copied texts."""
    del name
    head = opening(head).removeprefix(codecs.BOM_UTF8)
    found = sniff(head)
    if found is Format.HTML or _TEXTS.match(head):
        return Recognised(None, Scope.PART)
    return NotOurs(f"{found} that is no text of a notification")


def read(table: Table, piece: Piece) -> Iterator[Batch]:
    """One batch: a row per holder in a text; a text that cannot be parsed is a reject."""
    body = body_of(piece)
    tally = Tally(piece.dataset)
    rows: list[dict[str, Any]] = []
    rejects: list[tuple[object, str, object]] = []
    for source, text, given in texts(piece, body):
        try:
            found = flagging_lists.notifications(text) or [notification(text)]
        except NoForm as error:
            rejects.append((source, str(error), text))
            continue
        rejects += [(source, str(one), text) for one in found if isinstance(one, NoForm)]
        rows += [row(one, source, given, tally) for one in found if isinstance(one, Notification)]
    yield staged.batch(table, rows, staged.reject_rows(rejects), tally.drain())


def body_of(piece: Piece) -> bytes:
    """The bytes of a page or of copies."""
    with staged.opened(piece) as stream:
        return stream.read(_LARGEST).removeprefix(codecs.BOM_UTF8)


def texts(piece: Piece, body: bytes) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yields source, normalised text, and the columns given by the file itself."""
    if sniff(body) is not Format.JSON:
        page = _NAME.search(piece.name)
        message = page.group(1) if page else None
        yield (
            piece.name.rpartition("/")[2],
            flagging_text.even(flagging_text.of_html(body)),
            {MESSAGE: message},
        )
        return
    try:
        lines = [msgspec.json.decode(line) for line in body.splitlines() if line.strip()]
        for line in lines:
            yield str(line["url"]), flagging_text.even(str(line["text"])), {"url": str(line["url"])}
    except (*MALFORMED, KeyError, TypeError) as error:
        raise Unreadable(piece.dataset, piece.name, f"expected lines with url and text: {error}") from None


def row(one: Notification, source: str, given: dict[str, Any], tally: Tally) -> dict[str, Any]:
    """The staged row of one position. `given`: columns given by the file itself."""
    if one.day is None:
        tally.add("no_day", "no day of the crossing in the text", source)
    _audit(one, source, tally)
    now = one.now
    # «B and the total» means that A is empty; the total alone says nothing of A and takes its place
    # (docs/formats/fi.md 6.3)
    is_total = now.held is None and now.instruments is None
    held = now.held or (now.total if is_total else None) or Column(None, None)
    before = one.before.held if one.before is not None else None
    return {
        "source": source,
        **given,
        "issuer": one.issuer,
        ISSUER: issuer_key(one.issuer) if one.issuer else None,
        "businessId": one.business_id,
        "holder": one.holder,
        HOLDER: holder_key(one.holder),
        "day": one.day,
        "shares": _exact(held.shares),
        "sharesBelow": held.shares.below if held.shares else None,
        "sharesAbove": held.shares.above if held.shares else None,
        "votes": _exact(held.votes),
        "votesBelow": held.votes.below if held.votes else None,
        "votesAbove": held.votes.above if held.votes else None,
        "instruments": _exact(now.instruments.shares) if now.instruments else None,
        "total": _exact(now.total.shares) if now.total else None,
        "isTotal": is_total,
        "previousShares": _exact(before.shares) if before else None,
        "previousVotes": _exact(before.votes) if before else None,
    }


def _exact(level: Level | None) -> Decimal | None:
    return level.exact if level is not None else None


def _audit(one: Notification, source: str, tally: Tally) -> None:
    """Emits a signal if both parts and their sum are given and differ by more than rounding."""
    columns = (one.now.held, one.now.instruments, one.now.total)
    held, instruments, total = (_exact(column.shares) if column else None for column in columns)
    if held is None or instruments is None or total is None:
        return
    if abs(held + instruments - total) > _ROUNDED:
        tally.add("does_not_add_up", "total of A + total of B = A + B", source)


def dataset(
    key: str, title: str, table: Table, releases: str, files: tuple[str, ...], read: Reader = read
) -> Dataset:
    """The dataset of one market; `releases` is its staged table of releases, which name the pages.

    read: reads the texts of a file; by default the supervisor's form, unless a market's releases use another.
    """
    return Dataset(
        key=key,
        title=title,
        licence=LICENCE,
        cadence=Cadence(cron="10,30,50 5-18 * * *", stale_after_hours=24 * 30),  # weeks pass without any
        guard=Guard(max_rejected=0.5),  # prose: one unreadable text is a tenth of a day's texts
        host=VIEW_HOST,
        rate=RATE,
        staged={table.name: table},
        files=files,
        recognise=recognise,
        split=staged.single,
        read=partial(read, table),
        fetch=fetching.notifications,
        wants=fetching.wanted(releases),
    )
