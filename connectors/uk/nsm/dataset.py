"""Dataset `uk.nsm`: announcements in the FCA's National Storage Mechanism; major holdings are parsed.

See docs/formats/uk.md 10.3.

Belongs here: the declaration, recognising files, search responses and single items to staged rows. Does not
belong here: fetching (`fetch`), parsing forms (`tr1_form`), shared holdings (`tr1_holdings`).

A search response lists announcements of every type; texts are fetched one by one. An empty list returned
instantly is the host's soft block, not an empty day: it is rejected and requested again later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.json.body import decode_body, stripped_text
from connectors.kit.staging import SignalCounter
from connectors.news.items import AHEAD
from connectors.news.text import parse_instant
from connectors.uk.nsm import fetch, redact, tr1_form
from connectors.uk.nsm.redact import LONGEST, to_plain_text
from connectors.uk.nsm.schema import HOLDINGS_TYPE, HOST, ITEMS, KEY, TR1, issuer_words, normalise_holder_name

_OURS: Final = re.compile(rb'"_index"\s*:\s*"fca-nsm-searchdata"|"hits"\s*:\s*\{|"document_content"')
_INSTANTS: Final = ("publication_date", "submitted_date")
_NONE: Final = re.compile(r"(?:n\s*[/.]?\s*a|none|not applicable|[-–.]*)\.?$", re.IGNORECASE)
_YES: Final = (True, "true", "True")
_SUPERSEDED: Final = "N"  # of `latest_flag`
_REGIME: Final = date(2007, 1, 20)  # start of DTR 5: no threshold was crossed under it before
_YEAR_DAYS: Final = 365
_WEEK_DAYS: Final = 7
_MONTHS: Final = 12
_ROUNDED: Final = tr1_form.Decimal("0.02")
_TEXTS: Final = tuple(name for name in ITEMS.names if name not in {"id", "lei"})

Row = dict[str, Any]


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises search responses and single items in JSON; other files of the folder are not ours."""
    del name
    head = decompressed_head(head)
    found = detect_body_format(head)
    if found is not BodyFormat.JSON:
        return NotApplicable(f"expected an answer of the search in JSON, found {found.value}")
    if _OURS.search(head) is None:
        return NotApplicable("JSON that is not a response of the NSM search")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields the announcements of one response, and the TR-1 forms of those with a text."""
    tally = SignalCounter(member.dataset)
    items: list[Row] = []
    forms: list[Row] = []
    rejects: list[tuple[object, str, object]] = []
    for hit in _read_hits(member):
        identity, source = _identity_and_source(hit)
        if identity is None:
            rejects.append((None, "no _id: the announcement has no key", msgspec.json.encode(hit).decode()))
            continue
        if source.get("IsTestSubmission") in _YES:
            rejects.append((identity, "a test submission: it announces nothing", source.get("headline")))
            continue
        source = _checked_instants(identity, source, member, tally)
        items.append(_item_row(identity, source, tally))
        text = source.get("document_content")
        if source.get("type") == HOLDINGS_TYPE and isinstance(text, str):
            if source.get("latest_flag") == _SUPERSEDED:
                rejects.append((identity, "superseded by a later revision", source.get("headline")))
                continue
            try:
                forms.append(_form_row(identity, source, _parse_form(text), tally))
            except tr1_form.NotTr1FormError as error:
                rejects.append((identity, str(error), source.get("headline")))
    yield staging.make_batch(ITEMS, list({row["id"]: row for row in items}.values()), None, tally.drain())
    yield staging.make_batch(TR1, list({row["id"]: row for row in forms}.values()), staging.reject_rows(rejects))


def _parse_form(text: str) -> tr1_form.MajorHoldingNotification:
    if text.startswith(redact.WITHHELD):
        raise tr1_form.NotTr1FormError(text.removeprefix(redact.WITHHELD))
    if len(text) > LONGEST:
        raise tr1_form.NotTr1FormError(f"a text of more than {LONGEST:,} characters: a form has a few thousand")
    return tr1_form.parse_notification(to_plain_text(text))


def _read_hits(piece: ArchiveMember) -> list[Any]:
    """Hits of a search, or the one item of a details response. Raises UnreadableFileError for the soft block."""
    body = staging.read_plain(piece, redact.LARGEST, "an answer of more than 64 MiB")
    answer = decode_body(piece, body)
    if not isinstance(answer, dict):
        raise piece.unreadable_error("expected an answer of the search, found a list")
    if "unreadable" in answer:  # from `redact`
        raise piece.unreadable_error(answer["unreadable"])
    if "_source" in answer:
        return [answer]
    found = fetch.search_hits(answer)
    if isinstance(found, str):
        raise piece.unreadable_error(f"{found}: try again later")
    return found


def _identity_and_source(hit: Any) -> tuple[str | None, Row]:
    if not isinstance(hit, dict):
        return None, {}
    source = hit.get("_source")
    identity = hit.get("_id") or (source.get("seq_id") if isinstance(source, dict) else None)
    return (identity if isinstance(identity, str) else None), source if isinstance(source, dict) else {}


def _checked_instants(identity: str, source: Row, member: ArchiveMember, tally: SignalCounter) -> Row:
    """An announcement without instants that are none, have no zone, or are later than it was read.

    Without any of them it is no news, which is signalled too.
    """
    checked = dict.fromkeys(_INSTANTS, None)
    for name in _INSTANTS:
        stated = stripped_text(source.get(name))
        at = parse_instant(stated)
        if at is not None and at <= member.observed_at + AHEAD:
            checked[name] = stated
        elif stated is not None:
            tally.add("bad_date", name, identity)
    if not any(checked.values()):
        tally.add("missing_value", " and ".join(_INSTANTS), identity)
    return source | checked


def _item_row(identity: str, source: Row, tally: SignalCounter) -> Row:
    return {
        "id": identity,
        **{name: stripped_text(source.get(name)) for name in _TEXTS},
        "company": _company_name(source),
        "lei": _checked_lei(source.get("lei"), identity, tally),
    }


def _company_name(source: Row) -> str | None:
    name = stripped_text(source.get("company"))
    return name.rstrip("; ") or None if name else None


def _checked_lei(value: Any, identity: str, tally: SignalCounter) -> str | None:
    lei = stripped_text(value)
    if lei is None or is_lei(lei.upper()):
        return lei.upper() if lei else None
    tally.add("bad_lei", lei[:40], identity)
    return None


def _form_row(identity: str, source: Row, form: tr1_form.MajorHoldingNotification, tally: SignalCounter) -> Row:
    if form.forms > 1:
        tally.add("several_forms", "the text holds more than one form: the first is read", identity)
    _check_totals(form.now, identity, tally)
    now, before = form.now, form.before
    return {
        "id": identity,
        "lei": _issuer_lei(identity, source, form, tally),
        "issuer": form.issuer,
        "isin": form.isin,
        "holder": form.holder,
        "holder_key": normalise_holder_name(form.holder),
        "country": _checked_country(form.country, identity, tally),
        "crossed_on": _checked_crossing_day(form, source, identity, tally),
        "votes": _exact_level(now.votes),
        "instruments": _exact_level(now.instruments),
        "total": _exact_level(now.total),
        "is_below": now.total.is_below,
        "total_count": now.count,
        "previous_votes": _exact_level(before.votes) if before else None,
        "previous_total": _exact_level(before.total) if before else None,
        "submitted_date": stripped_text(source.get("submitted_date")),
        "html_link": stripped_text(source.get("html_link")) or stripped_text(source.get("download_link")),
    }


def _checked_country(written: str | None, identity: str, tally: SignalCounter) -> str | None:
    """Country of section 3; other text may be a person's address and is dropped."""
    if written is None or _NONE.match(written):
        return None
    if not redact.is_country_name(written):
        tally.add("unknown_country", "section 3", identity)
        return None
    return written


def _checked_crossing_day(
    form: tr1_form.MajorHoldingNotification, source: Row, identity: str, tally: SignalCounter
) -> date | None:
    """Day of section 5; None if it cannot be.

    A day after its announcement would hide all later notices. A crossing is notified within days: a year and a few
    days before is the number of last year, and would hide the notice, as would a day and month in American order.
    """
    stated = form.crossed_on
    if stated is None:
        tally.add("no_day", "no day of the crossing in the text", identity)
        return None
    told = stripped_text(source.get("submitted_date")) or stripped_text(source.get("publication_date"))
    is_later = told is not None and stated.isoformat() > told[:10]
    is_american = form.is_day_in_numbers and _has_month_first(stated, told)
    if is_later or stated < _REGIME or _is_of_last_year(stated, told) or is_american:
        tally.add("impossible_date", "section 5", identity)
        return None
    return stated


def _is_of_last_year(stated: date, told: str | None) -> bool:
    """True if a day is of the year before its announcement and would be within a week of it in the same year."""
    announced = parse_instant(told)
    late = None if announced is None else (announced.date() - stated).days
    return late is not None and _YEAR_DAYS <= late <= _YEAR_DAYS + _WEEK_DAYS


def _has_month_first(stated: date, told: str | None) -> bool:
    """True if a day is within a week before its announcement only with its two numbers exchanged."""
    announced = parse_instant(told)
    if announced is None or stated.day > _MONTHS:
        return False
    exchanged = stated.replace(month=stated.day, day=stated.month)
    late, exchanged_late = (announced.date() - stated).days, (announced.date() - exchanged).days
    return late > _WEEK_DAYS >= exchanged_late >= 0


def _exact_level(level: tr1_form.PositionLevel | None) -> tr1_form.Decimal | None:
    return level.exact if level is not None else None


def _issuer_lei(
    identity: str, source: Row, form: tr1_form.MajorHoldingNotification, tally: SignalCounter
) -> str | None:
    """LEI of the announcement if its company is the issuer of the form.

    A holder's own announcements are listed under the holder: if the two names share no distinctive word, the form
    has no known issuer and gets a signal for manual review.
    """
    announced, issuer = issuer_words(_company_name(source)), issuer_words(form.issuer)
    if announced and issuer and announced.isdisjoint(issuer):
        tally.add("issuer_differs", f"{_company_name(source)} announces {form.issuer}"[:200], identity)
        return None
    return _checked_lei(source.get("lei"), identity, SignalCounter(KEY))


def _check_totals(now: tr1_form.VotingPosition, identity: str, tally: SignalCounter) -> None:
    apart = tr1_form.sum_difference(now.votes, now.instruments, now.total)
    if apart is not None and apart > _ROUNDED:
        tally.add("does_not_add_up", "total of 8.A + total of 8.B = total of both", identity)


DATASET: Final = Dataset(
    key=KEY,
    title="FCA National Storage Mechanism: notifications of major holdings",
    licence=Licence(
        name="FCA website terms",
        url="https://www.fca.org.uk/legal",
        attribution="Source: Financial Conduct Authority, National Storage Mechanism",
    ),
    cadence=Cadence(cron="20 7-19 * * 1-5", stale_after_hours=24 * 5),
    guard_limits=GuardLimits(max_rejected=0.5),  # prose: a sizeable share of texts says only «see attachment»
    host=HOST,
    staged_tables={ITEMS.name: ITEMS, TR1.name: TR1},
    file_patterns=("fca_nsm/**/*", "nsm/**/*", "nsm-*"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch.fetch_announcements,
    redact=redact.redact,
)
