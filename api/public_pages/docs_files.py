"""The built documentation (`make docs`): its files by the address at which they are served, and what each page may run.

Pages have a few scripts inside; each is allowed by its own digest, so that no other one runs. Does not belong here: how
the site is built (`docs/site_pages.py`, `mkdocs.yml`), or the search (`api.public_pages.docs_search`).
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Final

from api.http.responses import Header
from api.public_pages.rendering import HTML, PAGE_SAFETY, PublicDocument, safety_with_policy

DEFAULT_FOLDER: Final = Path(__file__).resolve().parents[2] / "site"
SEARCH_INDEX: Final = "search/search_index.json"

_INDEX: Final = "index.html"
_TYPES: Final = {
    ".html": HTML,
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".json": b"application/json",
    ".svg": b"image/svg+xml",
    ".png": b"image/png",
    ".woff2": b"font/woff2",
    ".txt": b"text/plain; charset=utf-8",
}
"""Other files of the site (source maps, the site map, templates) are not served."""
_UNSERVED: Final = ("404.html",)
_INLINE_SCRIPT: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_STYLE: Final = re.compile(r'\sstyle="([^"]*)"')
_POLICY: Final = (
    "default-src 'none'; script-src 'self'{scripts}; style-src 'self'; style-src-attr {styles}; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class SiteFile:
    """One file of the site, with the headers that go with it."""

    document: PublicDocument
    safety: tuple[Header, ...]


class DocsSite:
    """The files of a site. Each is read once; another build is served after a restart.

    A folder that is not there is looked for again at every request.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or DEFAULT_FOLDER
        self._paths: Mapping[str, Path] = {}
        self._read: dict[str, SiteFile] = {}

    @property
    def is_built(self) -> bool:
        """Whether there is a site."""
        if not self._paths and (self.folder / _INDEX).is_file():
            self._paths = _served_paths(self.folder)
        return bool(self._paths)

    def has_page(self, address: str) -> bool:
        """Whether there is a page at an address that ends in a slash (or is empty: the first page)."""
        return self.is_built and f"{address}{_INDEX}" in self._paths

    def find(self, address: str) -> SiteFile | None:
        """The file at an address relative to the site, as `quickstart/` or `search/search_index.json`.

        None if there is none. Addresses are looked up among those of the site and never become paths.
        """
        name = address if address and not address.endswith("/") else f"{address}{_INDEX}"
        path = self._paths.get(name) if self.is_built else None
        if path is None:
            return None
        if name not in self._read:
            self._read[name] = _read_file(path)
        return self._read[name]


def page_policy(page: str) -> bytes:
    """The content security policy of a page: its own scripts and styles by their digests, and this service alone."""
    scripts = "".join(f" {one}" for one in _digests(_INLINE_SCRIPT.findall(page)))
    styles = " ".join(_digests(unescape(one) for one in _STYLE.findall(page)))
    return _POLICY.format(scripts=scripts, styles=f"'unsafe-hashes' {styles}" if styles else "'none'").encode()


def _digests(texts: Iterable[str]) -> list[str]:
    made = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return [f"'sha256-{one}'" for one in dict.fromkeys(made)]


def _served_paths(folder: Path) -> dict[str, Path]:
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path for name, path in found.items() if path.suffix in _TYPES and name not in _UNSERVED}


def _read_file(path: Path) -> SiteFile:
    body, media_type = path.read_bytes(), _TYPES[path.suffix]
    is_page = media_type == HTML
    safety = safety_with_policy(page_policy(body.decode())) if is_page else PAGE_SAFETY
    return SiteFile(PublicDocument.of(media_type, body), safety)
