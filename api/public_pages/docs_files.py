"""The built documentation (`make docs`): its files by the address at which they are served.

Its pages run no scripts. Does not belong here: how the site is built (`docs/site_pages.py`, `docs/theme`,
`mkdocs.yml`), or the search (`api.public_pages.docs_search`).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from api.public_pages.rendering import HTML, PublicDocument

DEFAULT_FOLDER: Final = Path(__file__).resolve().parents[2] / "site"
SEARCH_INDEX: Final = "search/search_index.json"

_INDEX: Final = "index.html"
_TYPES: Final = {
    ".html": HTML,
    ".css": b"text/css; charset=utf-8",
    ".json": b"application/json",
    ".svg": b"image/svg+xml",
    ".png": b"image/png",
    ".webp": b"image/webp",
    ".txt": b"text/plain; charset=utf-8",
}
"""Other files of the site (scripts, the site map) are not served."""
_UNSERVED: Final = ("404.html",)


class DocsSite:
    """The files of a site. Each is read once; another build is served after a restart.

    A folder that is not there is looked for again at every request.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or DEFAULT_FOLDER
        self._paths: Mapping[str, Path] = {}
        self._read: dict[str, PublicDocument] = {}

    @property
    def is_built(self) -> bool:
        """Whether there is a site."""
        if not self._paths and (self.folder / _INDEX).is_file():
            self._paths = _served_paths(self.folder)
        return bool(self._paths)

    def has_page(self, address: str) -> bool:
        """Whether there is a page at an address that ends in a slash (or is empty: the first page)."""
        return self.is_built and f"{address}{_INDEX}" in self._paths

    def find(self, address: str) -> PublicDocument | None:
        """The file at an address relative to the site, as `quickstart/` or `search/search_index.json`.

        None if there is none. Addresses are looked up among those of the site and never become paths.
        """
        name = address if address and not address.endswith("/") else f"{address}{_INDEX}"
        path = self._paths.get(name) if self.is_built else None
        if path is None:
            return None
        if name not in self._read:
            self._read[name] = PublicDocument.of(_TYPES[path.suffix], path.read_bytes())
        return self._read[name]


def _served_paths(folder: Path) -> dict[str, Path]:
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path for name, path in found.items() if path.suffix in _TYPES and name not in _UNSERVED}
