"""The page of bulk files: each export and each delta with a link to every file (docs/contract/contract.md 4.15).

Does not belong here: which files there are (`warehouse.reader.export_files`), links (`api.exports.links`).
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from litestar import get

from api.dashboard.routing import CurrentPage
from api.exports.links import ExportLinks, exports_folder
from api.exports.models import sort_key
from api.http.responses import HttpResponse
from warehouse.reader.export_files import ExportFile, list_export_files

PATH: Final = "/dashboard/exports"


@dataclass(frozen=True, slots=True)
class BulkFolder:
    """The files of one export, or of one delta, whose `base_release` is then given."""

    market: str
    release: int
    base_release: int | None
    released_at: datetime
    last_sequence: int
    bytes: int
    files: tuple[ExportFile, ...]


@get(PATH)
async def show_exports(page: CurrentPage) -> HttpResponse:
    services, tier = page.services, page.tier
    if tier.exports:
        page.require_active_account()
    links = ExportLinks(services.secret_box, services.clock)
    expires = links.expiry()
    files = await asyncio.to_thread(list_export_files, exports_folder(services.settings)) if tier.exports else []
    return page.render(
        "exports.html",
        tier=tier,
        folders=group_files(files),
        expires=expires,
        link_of=lambda file: links.issue(file, expires),
    )


def group_files(files: Iterable[ExportFile]) -> tuple[BulkFolder, ...]:
    """Files by export and delta, newest release first."""
    found: dict[tuple[int, str, int], list[ExportFile]] = defaultdict(list)
    for one in sorted(files, key=sort_key):
        found[-one.release, one.market, one.base_release or 0].append(one)
    return tuple(
        BulkFolder(
            first.market,
            first.release,
            first.base_release,
            datetime.fromisoformat(first.released_at),
            first.last_sequence,
            sum(one.bytes for one in group),
            tuple(group),
        )
        for group in found.values()
        for first in group[:1]
    )
