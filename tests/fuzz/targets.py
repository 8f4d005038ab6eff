"""Which targets there are: every declared dataset, and the parsers of the kit that datasets share.

A dataset needs no line here. Does not belong here: what is promised of one (`judging`).
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Final

import connectors
from connectors.kit import feeds, formats
from connectors.kit.archive import members
from connectors.kit.archive.bounded_stream import ArchiveError
from connectors.kit.csv import rows as csv_rows
from connectors.kit.csv.encoding import is_utf8, repair_to_utf8
from connectors.kit.feeds import NotFeedError
from connectors.kit.json import chunks
from connectors.kit.xbrl import instance
from connectors.kit.xbrl.transforms import UnacceptedTextError, parse_number, text_value
from connectors.kit.xml.parse import MalformedMarkupError
from connectors.nasdaq.major_holdings import text as major_holdings_text
from tests.fuzz import erasing, judging
from tests.fuzz.case import Broken, Case, Features, Target

_WIDTH: Final = 5
_BLOCK: Final = 4096
_FORMATS: Final = (
    "ixt:numdotdecimal", "ixt:numcommadecimal", "ixt:numdotdecimalin", "ixt:num-unit-decimal", "ixt:datedaymonthyearen",
    "ixt:datelonguk", "ixt:datedaymonthdk", "ixt:dateerayearmonthdayjp", "ixt:date-monthname-day-year-en",
    "ixt-sec:numwordsen", "ixt-sec:durwordsen", "ixt-sec:stateprovnameen", "ixt:zerodash", "ixt:nocontent",
)  # fmt: skip


def archive(case: Case) -> Features:
    """Members of zip, tar and gzip, nested, each read to its end."""
    seen = set()
    try:
        for member in members.archive_members(partial(io.BytesIO, case.body), case.name, nested=2):
            seen.add("member")
            try:
                with member.open() as stream:
                    while stream.read(1 << 20):
                        seen.add("read")
            except ArchiveError as error:
                seen.add(str(error)[-30:])
    except ArchiveError as error:
        seen.add(re.sub("[0-9]+", "#", str(error))[-30:])
    return frozenset(seen)


def table(case: Case) -> Features:
    """Rows and refused lines together are every line that is not empty, quoted or not."""
    seen = set()
    body, _ = repair_to_utf8(case.body)
    if not is_utf8(body):
        raise Broken("schema", "mended text is not UTF-8")
    for separator, quote in ((",", '"'), (";", '"'), ("\t", None)):
        reader = csv_rows.RowReader(_WIDTH, range(_WIDTH), separator, quote)
        rows, _ = reader.read(body, 1, final=True)
        for frame in rows.frames:
            if frame.width != _WIDTH + 1 or frame[csv_rows.LINE].null_count():
                raise Broken("schema", "a row without its line, or of another width")
            seen |= {"read", f"{separator}{frame.height > 1}"}
        seen |= {reason[:20] for _, reason, _ in rows.rejected[:20]}
    return frozenset(seen)


def stream_of_records(case: Case) -> Features:
    """Arrays cut into stretches hold the records of the array; lines the lines."""
    lines = b"".join(chunks.read_line_blocks(io.BytesIO(case.body), _BLOCK))
    if lines.rstrip() != case.body.rstrip():  # what is blank at the end is no line
        raise Broken("schema", "stretches of lines are not the body")
    try:
        count = sum(map(len, chunks.read_array(io.BytesIO(case.body), chunks.split_records, _BLOCK)))
    except (chunks.NotJsonError, *chunks.MALFORMED) as error:
        return frozenset({type(error).__name__})
    try:
        due = json.loads(case.body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return frozenset({"read where Python reads nothing"})
    if isinstance(due, list) and len(due) != count:
        raise Broken("schema", f"{count} records of {len(due)}")
    return frozenset({"read", f"records {min(count, 3)}"})


def feed(case: Case) -> Features:
    """RSS and Atom."""
    try:
        found = feeds.parse_feed(case.body)
    except NotFeedError as error:
        return frozenset({str(error)[:30]})
    return frozenset(
        {
            "read",
            f"repaired {found.is_repaired}",
            *(name for entry in found.entries[:5] for name, told in asdict(entry).items() if told),
        }
    )


def report(case: Case) -> Features:
    """Inline XBRL and XBRL: facts, and when their periods begin."""
    try:
        found = instance.read_report(case.body)
    except MalformedMarkupError as error:
        return frozenset({str(error)[:30]})
    for fact in found.facts:
        if fact.context is not None and fact.context.end is not None:
            found.starts(fact.context.end)
    is_read = {"read"} if found.facts else set()
    return frozenset({*is_read, f"facts {min(len(found.facts), 3)}", *(code for code, _ in found.signals)})


def transforms(case: Case) -> Features:
    """Every line of a text as a tagged number and date of every format."""
    seen = set()
    for line in case.body.decode("utf-8", "replace").split("\n")[:200]:
        for name in _FORMATS:
            for read in (parse_number, text_value):
                try:
                    seen |= {"read", f"{name} {type(read(name, line)).__name__}"}
                except UnacceptedTextError:
                    seen.add(f"{name} refused")
    return frozenset(seen)


def page(case: Case) -> Features:
    """Pages of announcements made even."""
    text = major_holdings_text.html_to_text(case.body)
    return frozenset({f"lines {min(text.count(chr(10)), 9)}", f"cells {min(text.count('|'), 9)}"})


def erasure(case: Case) -> Features:
    """A body written again by its structure alone."""
    return erasing.erased(case.body, case.name, None)


def head(case: Case) -> Features:
    """What bytes are."""
    formats.decompressed_head(case.body[:65_536])
    return frozenset({formats.detect_body_format(case.body[: formats.HEAD]).value})


_KIT: Final[Mapping[str, Callable[[Case], Features]]] = {
    "kit.archives": archive,
    "kit.ragged": table,
    "kit.chunks": stream_of_records,
    "kit.syndication": feed,
    "kit.xbrl": report,
    "kit.transforms": transforms,
    "kit.without": erasure,
    "kit.formats": head,
    "nasdaq.flagging_text": page,
}


def targets() -> dict[str, Target]:
    """All targets by key, datasets first."""
    datasets = [
        judging.of_dataset(country, dataset) for country in connectors.JURISDICTIONS for dataset in country.datasets
    ]
    shared = [Target(key, judge) for key, judge in _KIT.items()]
    return {target.key: target for target in (*datasets, *shared)}
