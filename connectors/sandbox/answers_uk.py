"""Simulated bulk download pages of Companies House.

Does not belong here: the contents of the files (`writers_uk`), the keyed APIs (`rest_uk`, `streaming_uk`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from connectors.sandbox import writers_uk
from connectors.sandbox.shelf import HTML, Answer, Shelf
from connectors.sandbox.world import World


def _company_page(desk: Shelf) -> Answer:
    name = writers_uk.companies_name(desk.world.date(desk.day))
    return _page("Free Company Data Product", [f"{name}.zip"], f"{desk.world.date(desk.day):%d/%m/%Y}")


def _psc_page(desk: Shelf) -> Answer:
    name = writers_uk.psc_name(desk.world.date(desk.day))
    title = "People with significant control (PSC) snapshot"
    return _page(title, [f"{name}.zip"], f"{desk.world.date(desk.day):%d/%m/%Y} 07:28hrs")


def _accounts_page(desk: Shelf) -> Answer:
    days = [
        desk.world.date(day) for day in range(desk.day, max(desk.day - 60, -1), -1)
    ]  # kept for sixty days
    names = [f"{writers_uk.accounts_name(day)}.zip" for day in days]
    return _page("Free Accounts Data Product", names, f"{days[0]:%d/%m/%Y}")


def _page(title: str, names: list[str], updated: str) -> Answer:
    links = "\n".join(f'                    <li><a href="{name}">{name}  (1Mb)</a></li>\n' for name in names)
    body = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en">\n'
        "<head><title>Companies House</title></head>\n"
        f"<body>\n            <h1>{title}</h1>\n                <ul>\n{links}\n                </ul>\n"
        f"                <strong>Last Updated:</strong> {updated}\n</body>\n</html>\n"
    )
    return Answer(200, HTML, body.encode())


def _zip(desk: Shelf, name: str) -> Answer:
    """Serves a zip linked on today's page; accounts files of earlier days stay available."""
    for day in range(desk.day, -1, -1):
        date = desk.world.date(day)
        today = {writers_uk.companies_name(date), writers_uk.psc_name(date)} if day == desk.day else set()
        if name in today | {writers_uk.accounts_name(date)}:
            return desk.kept(f"{name}.zip", _writing(desk.world, day, name), "application/zip")
    return Answer(404, HTML, b"<html><body>404 Not Found</body></html>")


def _writing(world: World, day: int, name: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            writers_uk.write_zip(world, day, name, file)

    return write


ROUTES: Final[tuple[tuple[re.Pattern[str], Callable[..., Answer]], ...]] = (
    (re.compile(r"/en_output\.html"), _company_page),
    (re.compile(r"/en_pscdata\.html"), _psc_page),
    (re.compile(r"/en_accountsdata\.html"), _accounts_page),
    (re.compile(r"/([\w-]+)\.zip"), _zip),
)
