"""Bulk files: their list, and downloads (docs/contract/contract.md 4.15)."""

import asyncio
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

import msgspec
from litestar import get

from api.common.clock import format_instant
from api.exports.file_response import MEDIA_TYPE, FileResponse
from api.exports.links import LONGEST, PATTERN, ExportLinks, exports_folder, not_available_problem
from api.exports.models import BulkFile, BulkFileList, ExportsParams, SortKey, sort_key
from api.http.context import PUBLIC_DOCUMENT, SECRET_KEY, ApiRequest, PlainRequest, RequestContext
from api.http.pagination.cursors import CursorBinding, filter_hash, invalid_cursor
from api.http.pagination.responses import account_page_response, after_key
from api.http.responses import HttpResponse
from api.openapi.examples import exports as examples
from api.openapi.operation import Operation, path_parameter
from api.openapi.response_headers import OF_ACCOUNT_PAGE, OF_FILE
from warehouse.reader.export_files import ExportFile, list_export_files

_ALL: Final = "/api/v1/exports"
_FILES: Final = f"{_ALL}/files"

ExportLink: TypeAlias = Annotated[
    str,
    path_parameter(
        "From `url` of the list.",
        {"type": "string", "description": "From `url` of the list.", "maxLength": LONGEST, "pattern": PATTERN},
        "firm_link_80000000006ae9d2",
    ),
]


@get(
    _ALL,
    policy=replace(SECRET_KEY, required_feature="exports"),
    summary="List bulk files",
    description="The newest and the kept exports of each market, newest release first, and the deltas between them: "
    "of the companies in `deletes` delete all rows of the table, then insert `upserts`, and the table is that of the "
    "next export. Each file has a link that is valid for 15 minutes. Requires the Business tier.",
    operation=Operation(BulkFileList, OF_ACCOUNT_PAGE, examples.BULK_FILES),
)
async def list_exports(request: ApiRequest[ExportsParams]) -> HttpResponse:
    context, values = request.context, request.values
    binding = CursorBinding(context.account_id, "exports", filter_hash(values.filters()))
    after = _read_key(after_key(context, values.cursor, binding))
    files = await asyncio.to_thread(list_export_files, exports_folder(context.services.settings))
    chosen = sorted((one for one in files if _matches(one, values)), key=sort_key)
    following = [one for one in chosen if after is None or sort_key(one) > after]
    page = following[: values.limit]
    next_cursor = None
    if len(following) > values.limit:
        next_cursor = context.services.cursor_cipher.issue(binding, sort_key(page[-1]))
    return account_page_response(context, _bulk_files(context, page), next_cursor)


@get(
    f"{_FILES}/{{link:str}}",
    policy=replace(PUBLIC_DOCUMENT, media_type=MEDIA_TYPE),
    summary="Download a bulk file",
    description="No key required: the link is enough. Not counted. One range of bytes may be asked for (`Range`, with "
    "`If-Range` for the ETag), so that a download that broke off can go on.",
    response_description="The file.",
    operation=Operation(
        {"type": "string", "format": "binary", "maxLength": 2**53},
        OF_FILE,
        request_headers=("Range", "If-Range"),
        is_ranged=True,
        error_statuses=(404, 416),
    ),
)
async def download_export(request: PlainRequest, link: ExportLink) -> HttpResponse:
    context = request.context
    linked = _links(context).read(link)
    path = exports_folder(context.services.settings) / linked.path
    try:
        if path.stat().st_size != linked.size:
            raise not_available_problem("The file is not the one that was exported.")
        return await asyncio.to_thread(FileResponse, context, path, b'"%b"' % linked.sha256.encode())
    except FileNotFoundError:
        raise not_available_problem("The export is no longer kept.") from None


def _links(context: RequestContext) -> ExportLinks:
    return ExportLinks(context.services.secret_box, context.services.clock)


def _matches(file: ExportFile, values: ExportsParams) -> bool:
    return (
        (not values.market or file.market in values.market)
        and (not values.table or file.table in values.table)
        and (not values.format or file.format in values.format)
        and (not values.part or file.part in values.part)
        and values.release in (None, file.release)
    )


def _read_key(key: tuple[str | int | None, ...] | None) -> SortKey | None:
    match key:
        case None:
            return None
        case (int(release), str(market), int(base), int(table), int(part), int(form)):
            return (release, market, base, table, part, form)
        case _:
            raise invalid_cursor()


def _bulk_files(context: RequestContext, files: list[ExportFile]) -> list[bytes]:
    links, address = _links(context), f"{context.services.settings.public_url}{_FILES}/"
    expires = links.expiry()
    return [
        msgspec.json.encode(
            BulkFile.members(one, url=address + links.issue(one, expires), expires_at=format_instant(expires))
        )
        for one in files
    ]
