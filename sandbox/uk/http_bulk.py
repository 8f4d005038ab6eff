"""Simulated bulk download pages of Companies House.

Does not belong here: the contents of the files (`files`), the keyed APIs (`rest_http`, `stream_http`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sandbox.shared.cached_responses import HTML, CachedResponse, CachedResponses
from sandbox.uk import files
from sandbox.world import World


def _company_page(desk: CachedResponses) -> CachedResponse:
    name = files.companies_name(desk.world.date(desk.day))
    return _download_page("Free Company Data Product", [f"{name}.zip"], f"{desk.world.date(desk.day):%d/%m/%Y}")


def _psc_page(desk: CachedResponses) -> CachedResponse:
    name = files.psc_name(desk.world.date(desk.day))
    title = "People with significant control (PSC) snapshot"
    return _download_page(title, [f"{name}.zip"], f"{desk.world.date(desk.day):%d/%m/%Y} 07:28hrs")


def _accounts_page(desk: CachedResponses) -> CachedResponse:
    days = [desk.world.date(day) for day in range(desk.day, max(desk.day - 60, -1), -1)]  # kept for sixty days
    names = [f"{files.accounts_name(day)}.zip" for day in days]
    return _download_page("Free Accounts Data Product", names, f"{days[0]:%d/%m/%Y}")


def _download_page(title: str, names: list[str], updated: str) -> CachedResponse:
    links = "\n".join(f'                    <li><a href="{name}">{name}  (1Mb)</a></li>\n' for name in names)
    body = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en">\n'
        "<head><title>Companies House</title></head>\n"
        f"<body>\n            <h1>{title}</h1>\n                <ul>\n{links}\n                </ul>\n"
        f"                <strong>Last Updated:</strong> {updated}\n</body>\n</html>\n"
    )
    return CachedResponse(200, HTML, body.encode())


def _zip_response(desk: CachedResponses, name: str) -> CachedResponse:
    """Serves a zip linked on today's page; accounts files of earlier days stay available."""
    for day in range(desk.day, -1, -1):
        date = desk.world.date(day)
        today = {files.companies_name(date), files.psc_name(date)} if day == desk.day else set()
        if name in today | {files.accounts_name(date)}:
            return desk.cached_body(f"{name}.zip", _zip_writer(desk.world, day, name), "application/zip")
    return CachedResponse(404, HTML, b"<html><body>404 Not Found</body></html>")


def _zip_writer(world: World, day: int, name: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            files.write_zip(world, day, name, file)

    return write


ROUTES: Final[tuple[tuple[re.Pattern[str], Callable[..., CachedResponse]], ...]] = (
    (re.compile(r"/en_output\.html"), _company_page),
    (re.compile(r"/en_pscdata\.html"), _psc_page),
    (re.compile(r"/en_accountsdata\.html"), _accounts_page),
    (re.compile(r"/([\w-]+)\.zip"), _zip_response),
)
