"""Simulated bulk download pages of Companies House.

Does not belong here: the contents of the files (`files`), the keyed APIs (`rest_http`, `stream_http`).
"""

from __future__ import annotations

from functools import partial
from typing import Final

from sandbox.shared.response import HTML, NOT_FOUND, CachedResponses, SandboxResponse, compile_routes
from sandbox.uk import files


def _company_page(desk: CachedResponses) -> SandboxResponse:
    name = files.companies_name(desk.world.date(desk.day))
    return _download_page("Free Company Data Product", [f"{name}.zip"], f"{desk.world.date(desk.day):%d/%m/%Y}")


def _psc_page(desk: CachedResponses) -> SandboxResponse:
    name = files.psc_name(desk.world.date(desk.day))
    title = "People with significant control (PSC) snapshot"
    return _download_page(title, [f"{name}.zip"], f"{desk.world.date(desk.day):%d/%m/%Y} 07:28hrs")


def _accounts_page(desk: CachedResponses) -> SandboxResponse:
    days = [desk.world.date(day) for day in range(desk.day, max(desk.day - 60, -1), -1)]  # kept for sixty days
    names = [f"{files.accounts_name(day)}.zip" for day in days]
    return _download_page("Free Accounts Data Product", names, f"{days[0]:%d/%m/%Y}")


def _download_page(title: str, names: list[str], updated: str) -> SandboxResponse:
    links = "\n".join(f'                    <li><a href="{name}">{name}  (1Mb)</a></li>\n' for name in names)
    body = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en">\n'
        "<head><title>Companies House</title></head>\n"
        f"<body>\n            <h1>{title}</h1>\n                <ul>\n{links}\n                </ul>\n"
        f"                <strong>Last Updated:</strong> {updated}\n</body>\n</html>\n"
    )
    return SandboxResponse(200, HTML, body.encode())


def _zip_response(desk: CachedResponses, name: str) -> SandboxResponse:
    """Serves a zip linked on today's page; accounts files of earlier days stay available."""
    for day in range(desk.day, -1, -1):
        date = desk.world.date(day)
        today = {files.companies_name(date), files.psc_name(date)} if day == desk.day else set()
        if name in today | {files.accounts_name(date)}:
            return desk.cached_body(f"{name}.zip", partial(files.write_zip, desk.world, day, name))
    return NOT_FOUND


ROUTES: Final = compile_routes(
    {
        r"/en_output\.html": _company_page,
        r"/en_pscdata\.html": _psc_page,
        r"/en_accountsdata\.html": _accounts_page,
        r"/([\w-]+)\.zip": _zip_response,
    }
)
