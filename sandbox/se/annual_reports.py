"""The archive of Swedish annual reports: packages, weekly zips and their listing (docs/formats/se.md 4 and 5).

The registry publishes on Mondays and rewrites archives of past weeks now and then; a day of the sandbox that is
no Monday brings a further part of the previous week. Does not belong here: documents (`ixbrl`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from xml.sax.saxutils import escape

from sandbox.model.company import Accounts, Company
from sandbox.se import ixbrl
from sandbox.shared.files import archive_bytes
from sandbox.world import World

PREFIX: Final = "arsredovisningar/"
PAGE: Final = 5  # keys per page of the listing; the registry has a thousand
_CLOCK: Final = (0, 0, 54)  # of everything written
_WEEK: Final = timedelta(days=7)
_MARK: Final = "[minio_list:v2,return:]"
_OLD: Final = (
    ("arsredovisningar/2020/08_1.zip", date(2025, 2, 7)), ("arsredovisningar/2020/08_2.zip", date(2025, 2, 10)),
    ("arsredovisningar/2021/27_1.zip", date(2025, 2, 7)), ("arsredovisningar/2024/31_10.zip", date(2025, 2, 10)),
    ("arsredovisningar/2026/42_1.zip", date(2026, 10, 19)), ("arsredovisningar/2026/43_1.zip", date(2026, 10, 26)),
)  # fmt: skip
_REWRITTEN: Final = ("arsredovisningar/2026/43_1.zip", 1)  # with the day number on which it is rewritten


@dataclass(frozen=True, slots=True)
class ListedArchive:
    """One archive as listed; `day` is the world's day that filled it, None for the old ones."""

    key: str
    written: date
    day: int | None


def document_sha256(company: Company, accounts: Accounts) -> str:
    """Digest used as native id, since the archive has none."""
    return hashlib.sha256(ixbrl.annual_report(company, accounts)).hexdigest()


def document_id(company: Company, accounts: Accounts) -> str:
    """The API's id of a package: it contains the company's number, so that it can be mapped back."""
    digest = hashlib.sha256(f"{company.number}/{accounts.document}".encode()).hexdigest()
    serial = accounts.document % 10
    return f"{digest[:8]}-{digest[8:12]}-4{digest[12:15]}-8{serial:03d}-00{company.number}_paket"


def number_from_id(identity: str) -> str:
    """The company's number in an API id, with or without its file extension."""
    return identity.removesuffix("_paket")[-10:]


def package_name(company: Company, accounts: Accounts) -> str:
    return f"{company.number}_{accounts.end}.zip"


def report_package(company: Company, accounts: Accounts) -> bytes:
    """A zip: the report under an arbitrary name, and other files filed or included by accident."""
    body = ixbrl.annual_report(company, accounts)
    members = [(f"{_uuid_like_name(body)}.xhtml", body)]
    place = company.position
    if place % 3 == 0:
        audit = ixbrl.audit_report(company, accounts)
        members.insert(place % 2, (f"{_uuid_like_name(audit)}.xhtml", audit))
    if place % 4 == 1:
        certificate = ixbrl.adoption_certificate(company, accounts)
        members.insert(0, (f"{_uuid_like_name(certificate)}.xhtml", certificate))
    if place % 10 == 1:
        members.append((f"__MACOSX/._{_uuid_like_name(body)}.xhtml", b"\0\5\26\7"))
    if place % 10 == 2:  # noqa: PLR2004 - one in ten
        members.append(("bilaga.pdf", b"%PDF-1.7\n%%EOF\n"))
    return archive_bytes(members, accounts.published, _CLOCK)


def _uuid_like_name(body: bytes) -> str:
    """A name like a UUID."""
    digest = hashlib.sha256(body).hexdigest()
    return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))


def archive_key(world: World, day: int) -> str:
    """The archive filled by a day of the world: a part of the previous week."""
    date = world.date(day)
    week = (date - _WEEK).isocalendar()
    return f"{PREFIX}{week.year}/{week.week:02d}_{date.isoweekday()}.zip"


def weekly_archive(world: World, day: int) -> bytes:
    """The archive of a day, with its packages. A report registered twice appears twice."""
    members: dict[str, bytes] = {}
    for company, accounts in world.published_accounts("SE", day):
        name = package_name(company, accounts)
        members[name if name not in members else f"{name.removesuffix('.zip')}_{accounts.document}.zip"] = (
            report_package(company, accounts)
        )
    if not members:
        return old_archive(world)
    return archive_bytes(members.items(), world.date(day), _CLOCK)


def old_archive(world: World) -> bytes:
    """An archive of former weeks with one report, which the newest week has too."""
    company, accounts = next(world.published_accounts("SE", 0))
    return archive_bytes([(package_name(company, accounts), report_package(company, accounts))], world.date(0), _CLOCK)


def listed_archives(world: World, day: int) -> list[ListedArchive]:
    """The archives in the listing on a day, sorted by key."""
    rewritten, when = _REWRITTEN
    former = [
        ListedArchive(name, world.date(when) if name == rewritten and day >= when else written, None)
        for name, written in _OLD
    ]
    return former + [ListedArchive(archive_key(world, number), world.date(number), number) for number in range(day + 1)]


def bucket_listing(files: list[ListedArchive], sizes: dict[str, tuple[int, str]], marker: str | None) -> bytes:
    """One page of the bucket's listing. `sizes`: key -> bytes and tag. The marker is returned as given."""
    after = "" if marker is None else marker.removesuffix(_MARK)
    rest = [file for file in sorted(files, key=lambda file: file.key) if file.key > after]
    page, more = rest[:PAGE], len(rest) > PAGE
    contents = "".join(
        f"<Contents><Key>{escape(file.key)}</Key><LastModified>{file.written}T00:00:54.000Z</LastModified>"
        f"<ETag>&#34;{sizes[file.key][1]}-7&#34;</ETag><Size>{sizes[file.key][0]}</Size>"
        "<Owner><ID></ID><DisplayName></DisplayName></Owner><StorageClass>STANDARD</StorageClass></Contents>"
        for file in page
    )
    following = f"<NextMarker>{escape(page[-1].key + _MARK)}</NextMarker>" if more else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        "<Name>bulkfil-paketering-zipfiler-prod</Name>"
        f"<Prefix>{PREFIX}</Prefix><Marker>{escape(marker or '')}</Marker>{following}<MaxKeys>{PAGE}</MaxKeys>"
        f"<IsTruncated>{str(more).lower()}</IsTruncated>{contents}</ListBucketResult>"
    ).encode()
