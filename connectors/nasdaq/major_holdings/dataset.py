"""Major-holding (flagging) notifications of one market: release pages and copied texts to positions of holders.

Belongs here: the declaration, recognising files, texts to rows. Does not belong here: text extraction
(`text`), parsing a text (`form`, `sentences`), holdings (`mapping`).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any, Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.staging import SignalCounter
from connectors.nasdaq import fetch as nasdaq_fetch
from connectors.nasdaq.major_holdings import text as major_holdings_text
from connectors.nasdaq.major_holdings.form import FlaggingNotification, parse_table_notifications
from connectors.nasdaq.major_holdings.form_row import FormColumn, NotFlaggingFormError, PercentageLevel
from connectors.nasdaq.major_holdings.sentences import parse_notification
from connectors.nasdaq.names import issuer_key
from connectors.nasdaq.schema import HOLDER, ISSUER, LICENCE, MESSAGE, VIEW_HOST
from name_matching.folding import fold_text
from warehouse.schema.types import Table

_LARGEST: Final = 16 << 20
_TEXTS: Final = re.compile(rb'\s*\{\s*"(?:url|text)"')
_NAME: Final = re.compile(r"(?<![0-9a-zA-Z])([0-9a-zA-Z]+)_[a-z]{2}\.html?$")
_ROUNDED: Final = Decimal("0.02")
Reader = Callable[[Table, ArchiveMember], Iterator[Batch]]


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises pages of releases, and JSON Lines with copied texts."""
    del name
    head = plain_head(head)
    found = detect_body_format(head)
    if found is BodyFormat.HTML or _TEXTS.match(head):
        return RecognisedFile(None, Scope.PART)
    return NotApplicable(f"{found} that is no text of a notification")


def read_batches(table: Table, member: ArchiveMember) -> Iterator[Batch]:
    """One batch: a row per holder in a text; a text that cannot be parsed is a reject."""
    body = read_body(member)
    batch = staging.BatchBuilder(member.dataset)
    rows: list[dict[str, Any]] = []
    for source, text, given in notification_texts(member, body):
        try:
            found = parse_table_notifications(text) or [parse_notification(text)]
        except NotFlaggingFormError as error:
            batch.reject(source, error, text)
            continue
        for one in found:
            if isinstance(one, FlaggingNotification):
                if one.day is not None and one.day > member.observed_at.date():
                    batch.tally.add("impossible_date", "a day of the crossing that is still to come", source)
                rows.append(notification_row(one, source, given, batch.tally))
            else:
                batch.reject(source, one, text)
    yield batch.build(table, rows)


def read_body(member: ArchiveMember) -> bytes:
    """The bytes of a page or of copies."""
    with staging.open_plain(member) as stream:
        return stream.read(_LARGEST).removeprefix(codecs.BOM_UTF8)


def notification_texts(member: ArchiveMember, body: bytes) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yields source, normalised text, and the columns given by the file itself."""
    if detect_body_format(body) is not BodyFormat.JSON:
        page = _NAME.search(member.name)
        message = page.group(1) if page else None
        yield (
            member.name.rpartition("/")[2],
            major_holdings_text.tables_to_cells(major_holdings_text.html_to_text(body)),
            {MESSAGE: message},
        )
        return
    with staging.unreadable_on(member, (*MALFORMED, KeyError, TypeError), "expected lines with url and text"):
        lines = [msgspec.json.decode(line) for line in body.splitlines() if line.strip()]
        for line in lines:
            yield (str(line["url"]), major_holdings_text.tables_to_cells(str(line["text"])), {"url": str(line["url"])})


def notification_row(
    one: FlaggingNotification, source: str, metadata: dict[str, Any], tally: SignalCounter
) -> dict[str, Any]:
    """The staged row of one position. `metadata`: columns given by the file itself."""
    if one.day is None:
        tally.add("no_day", "no day of the crossing in the text", source)
    _check_totals(one, source, tally)
    now = one.now
    # «B and the total» means that A is empty; the total alone says nothing of A and takes its place
    # (docs/formats/fi.md 6.3)
    is_total = now.shares_and_votes is None and now.instruments is None
    held = now.shares_and_votes or (now.total if is_total else None) or FormColumn(None, None)
    before = one.before.shares_and_votes if one.before is not None else None
    return {
        "source": source,
        **metadata,
        "issuer": one.issuer,
        ISSUER: issuer_key(one.issuer) if one.issuer else None,
        "businessId": one.business_id,
        "holder": one.holder,
        HOLDER: fold_text(one.holder),
        "day": one.day,
        "shares": _exact_level(held.shares),
        "sharesBelow": held.shares.below if held.shares else None,
        "sharesAbove": held.shares.above if held.shares else None,
        "votes": _exact_level(held.votes),
        "votesBelow": held.votes.below if held.votes else None,
        "votesAbove": held.votes.above if held.votes else None,
        "instruments": _exact_level(now.instruments.shares) if now.instruments else None,
        "total": _exact_level(now.total.shares) if now.total else None,
        "isTotal": is_total,
        "previousShares": _exact_level(before.shares) if before else None,
        "previousVotes": _exact_level(before.votes) if before else None,
    }


def _exact_level(level: PercentageLevel | None) -> Decimal | None:
    return level.exact if level is not None else None


def _check_totals(one: FlaggingNotification, source: str, tally: SignalCounter) -> None:
    """Emits a signal if both parts and their sum are given and differ by more than rounding."""
    columns = (one.now.shares_and_votes, one.now.instruments, one.now.total)
    held, instruments, total = (_exact_level(column.shares) if column else None for column in columns)
    if held is None or instruments is None or total is None:
        return
    if abs(held + instruments - total) > _ROUNDED:
        tally.add("does_not_add_up", "total of A + total of B = A + B", source)


def flaggings_dataset(
    key: str, title: str, table: Table, releases: str, files: tuple[str, ...], read: Reader = read_batches
) -> Dataset:
    """The dataset of one market; `releases` is its staged table of releases, which name the pages.

    read: reads the texts of a file; by default the supervisor's form, unless a market's releases use another.
    """
    return Dataset(
        key=key,
        title=title,
        licence=LICENCE,
        cadence=Cadence(cron="10,30,50 5-18 * * *", stale_after_hours=24 * 30),  # weeks pass without any
        guard_limits=GuardLimits(max_rejected=0.5),  # prose: one unreadable text is a tenth of a day's texts
        host=VIEW_HOST,
        staged_tables={table.name: table},
        file_patterns=files,
        recognise_file=recognise_file,
        read_batches=partial(read, table),
        fetch=nasdaq_fetch.fetch_notifications,
        subjects_to_fetch=nasdaq_fetch.subjects_selector(releases),
    )
