"""Simulated responses of Enhetsregisteret and Regnskapsregisteret: complete files, single entities, accounts.

Does not belong here: change feeds (`http`), the records (`files`, `enheter`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from sandbox.no import enheter, files, roller, underenheter
from sandbox.shared.cached_responses import JSON, CachedResponse, CachedResponses
from sandbox.world import World

_HAL: Final = {"Content-Type": "application/vnd.brreg.enhetsregisteret.enhet.v2+json;charset=UTF-8"}
_BANKS: Final = ("64.", "65.")  # industries with layouts that the open accounts API does not support


def _bulk_json_response(desk: CachedResponses) -> CachedResponse:
    def write(path: Path) -> None:
        with files.open_gzip(path) as file:
            file.writelines(files.json_chunks(desk.world, desk.day))

    return desk.cached_body(
        "enheter_alle.json.gz", write, "application/vnd.brreg.enhetsregisteret.enhet.v2+gzip;charset=UTF-8"
    )


def _bulk_csv_response(desk: CachedResponses) -> CachedResponse:
    def write(path: Path) -> None:
        with files.open_gzip(path) as file:
            file.writelines(files.csv_chunks(desk.world, desk.day))

    return desk.cached_body(
        "enheter_alle.csv.gz", write, "application/vnd.brreg.enhetsregisteret.enhet+csv;charset=UTF-8"
    )


def _gzip_file_route(
    name: str, chunks: Callable[[World, int], Iterator[bytes]], kind: str
) -> Callable[[CachedResponses], CachedResponse]:
    """Handler for a gzip of one of Enhetsregisteret's complete files."""

    def answer(desk: CachedResponses) -> CachedResponse:
        def write(path: Path) -> None:
            with files.open_gzip(path) as file:
                file.writelines(chunks(desk.world, desk.day))

        return desk.cached_body(name, write, f"application/vnd.brreg.enhetsregisteret.{kind};charset=UTF-8")

    return answer


def _entity_response(desk: CachedResponses, number: str) -> CachedResponse:
    if number in desk.removed:
        return _json_response(410, {"status": 410, "error": "Gone", "message": "Fjernet av juridiske årsaker"}, _HAL)
    company = desk.world.find("NO", number, desk.day)
    if company is None:
        return CachedResponse(404, _HAL, b"")
    return _json_response(200, enheter.entity_record(company), _HAL)


def _accounts_response(desk: CachedResponses, number: str) -> CachedResponse:
    company = desk.world.find("NO", number, desk.day)
    if company and company.industry and company.industry.code.startswith(_BANKS):
        return _json_response(
            500,
            {
                "timestamp": f"{desk.world.date(desk.day)}T04:00:00.000+0000",
                "status": "500",
                "error": "Internal Server Error",
                "message": "An error occurred while processing the request.",
                "path": f"/regnskapsregisteret/regnskap/{number}",
                "trace": "00000000-0000-4000-8000-000000000000",
            },
        )
    if company is None or not company.accounts:
        return CachedResponse(404, JSON, b"")
    return CachedResponse(200, JSON, files.accounts_body(company))


def _json_response(status: int, value: object, headers: Mapping[str, str] = JSON) -> CachedResponse:
    return CachedResponse(status, headers, json.dumps(value, ensure_ascii=False).encode())


_ENTITIES: Final = "/enhetsregisteret/api/enheter"
ROUTES: Final[tuple[tuple[re.Pattern[str], Callable[..., CachedResponse]], ...]] = (
    (re.compile(f"{_ENTITIES}/lastned"), _bulk_json_response),
    (re.compile(f"{_ENTITIES}/lastned/csv"), _bulk_csv_response),
    (
        re.compile("/enhetsregisteret/api/underenheter/lastned/csv"),
        _gzip_file_route("underenheter_alle.csv.gz", underenheter.csv_chunks, "underenhet.v2+gzip"),
    ),
    (
        re.compile("/enhetsregisteret/api/roller/totalbestand"),
        _gzip_file_route("roller_alle.json.gz", roller.role_file_chunks, "rolle.v1+gzip"),
    ),
    (re.compile(f"{_ENTITIES}/([^/]+)"), _entity_response),
    (re.compile(r"/regnskapsregisteret/regnskap/([^/]+)"), _accounts_response),
)
