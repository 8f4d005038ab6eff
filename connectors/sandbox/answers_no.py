"""Simulated responses of Enhetsregisteret and Regnskapsregisteret: complete files, single entities, accounts.

Does not belong here: change feeds (`desk_no`), the records (`writers_no`, `entities_no`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from connectors.sandbox import entities_no, roles_no, subunits_no, writers_no
from connectors.sandbox.shelf import JSON, Answer, Shelf
from connectors.sandbox.world import World

_HAL: Final = {"Content-Type": "application/vnd.brreg.enhetsregisteret.enhet.v2+json;charset=UTF-8"}
_BANKS: Final = ("64.", "65.")  # industries with layouts that the open accounts API does not support


def _bulk_json(desk: Shelf) -> Answer:
    def write(path: Path) -> None:
        with writers_no.compressed(path) as file:
            file.writelines(writers_no.json_chunks(desk.world, desk.day))

    return desk.kept(
        "enheter_alle.json.gz", write, "application/vnd.brreg.enhetsregisteret.enhet.v2+gzip;charset=UTF-8"
    )


def _bulk_csv(desk: Shelf) -> Answer:
    def write(path: Path) -> None:
        with writers_no.compressed(path) as file:
            file.writelines(writers_no.csv_chunks(desk.world, desk.day))

    return desk.kept(
        "enheter_alle.csv.gz", write, "application/vnd.brreg.enhetsregisteret.enhet+csv;charset=UTF-8"
    )


def _packed(
    name: str, chunks: Callable[[World, int], Iterator[bytes]], kind: str
) -> Callable[[Shelf], Answer]:
    """Handler for a gzip of one of Enhetsregisteret's complete files."""

    def answer(desk: Shelf) -> Answer:
        def write(path: Path) -> None:
            with writers_no.compressed(path) as file:
                file.writelines(chunks(desk.world, desk.day))

        return desk.kept(name, write, f"application/vnd.brreg.enhetsregisteret.{kind};charset=UTF-8")

    return answer


def _entity(desk: Shelf, number: str) -> Answer:
    if number in desk.removed:
        return _json(410, {"status": 410, "error": "Gone", "message": "Fjernet av juridiske årsaker"}, _HAL)
    company = desk.world.find("NO", number, desk.day)
    if company is None:
        return Answer(404, _HAL, b"")
    return _json(200, entities_no.entity(company), _HAL)


def _accounts(desk: Shelf, number: str) -> Answer:
    company = desk.world.find("NO", number, desk.day)
    if company and company.industry and company.industry.code.startswith(_BANKS):
        return _json(
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
        return Answer(404, JSON, b"")
    return Answer(200, JSON, writers_no.accounts_answer(company))


def _json(status: int, value: object, headers: Mapping[str, str] = JSON) -> Answer:
    return Answer(status, headers, json.dumps(value, ensure_ascii=False).encode())


_ENTITIES: Final = "/enhetsregisteret/api/enheter"
ROUTES: Final[tuple[tuple[re.Pattern[str], Callable[..., Answer]], ...]] = (
    (re.compile(f"{_ENTITIES}/lastned"), _bulk_json),
    (re.compile(f"{_ENTITIES}/lastned/csv"), _bulk_csv),
    (
        re.compile("/enhetsregisteret/api/underenheter/lastned/csv"),
        _packed("underenheter_alle.csv.gz", subunits_no.csv_chunks, "underenhet.v2+gzip"),
    ),
    (
        re.compile("/enhetsregisteret/api/roller/totalbestand"),
        _packed("roller_alle.json.gz", roles_no.all_chunks, "rolle.v1+gzip"),
    ),
    (re.compile(f"{_ENTITIES}/([^/]+)"), _entity),
    (re.compile(r"/regnskapsregisteret/regnskap/([^/]+)"), _accounts),
)
