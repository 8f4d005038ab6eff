"""Hooks of mkdocs: pages and stylesheets of the site that are files outside docs/, and links between pages.

Links in the documents are relative to the repository. On the site, a link to a file that is no page becomes plain
text, and a link to a file that does not exist is a warning, which `--strict` turns into a failure.
"""

import logging
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parents[1]
OUTSIDE: Final = {
    "ARCHITECTURE.md": "project/architecture-overview.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "collections/README.md": "project/collections.md",
    "sdk/python/README.md": "project/python-client.md",
    "sdk/typescript/README.md": "project/typescript-client.md",
    "ui/README.md": "project/react-components.md",
}
ADDRESSES: Final = {"api.md": "api-overview/index.html"}
"""Pages that are elsewhere than their file's name says: at /docs/api the service has the API reference."""
STYLESHEETS: Final = ("api/dashboard/assets/dashboard.css", "api/public_pages/assets/public.css")
"""Those of the service's own pages, which the documentation looks like."""
_SOURCES: Final = {page: source for source, page in OUTSIDE.items()}
_LINK: Final = re.compile(r"(?<!!)\[([^\[\]]+)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")
_IMAGE: Final = re.compile(r"!\[([^\[\]]*)\]\((?![a-z]+:)([^)\s]+)\)")
_TABLE: Final = re.compile(r"<table>.*?</table>", re.DOTALL)
_HEADING: Final = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_ROW: Final = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL: Final = re.compile(r"<td\b")
_WIDEST: Final = 8  # columns of a table; of a matrix there are more, of short cells
_TAG: Final = re.compile(r"<[^>]*>")
_log: Final = logging.getLogger("mkdocs.hooks")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the files outside docs/ to the site, and gives pages the addresses that they have in the service."""
    for page, address in ADDRESSES.items():
        found = files.get_file_from_path(page)
        if found is None:
            raise PluginError(f"there is no page {page}, which has an address of its own")
        found.dest_uri = address
    for source, page in OUTSIDE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    for source in STYLESHEETS:
        files.append(File.generated(config, posixpath.basename(source), abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links and images relative to the repository into those between files of the site."""
    here, titles = page.file.src_uri, dict(_page_titles(config.nav or []))
    source = _SOURCES.get(here, f"docs/{here}")

    def link(found: re.Match[str]) -> str:
        label, path, anchor = found[1], found[2], found[3] or ""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if not (ROOT / target).exists():
            _log.warning("%s links to %s, which does not exist", source, target)
        name = OUTSIDE.get(target, target.removeprefix("docs/"))
        if files.get_file_from_path(name) is None:
            return label
        if label.endswith(".md"):  # the file's name, for readers of the repository
            label = titles.get(name, label)
        return f"[{label}]({posixpath.relpath(name, posixpath.dirname(here))}{anchor})"

    def image(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), found[2]))
        return f"![{found[1]}]({posixpath.relpath(target.removeprefix('docs/'), posixpath.dirname(here))})"

    return _IMAGE.sub(image, _LINK.sub(link, markdown))


def _page_titles(nav: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Pages of the navigation with their titles there."""
    for item in nav:
        for title, below in item.items():
            if isinstance(below, str):
                yield below, title
            else:
                yield from _page_titles(below)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Lets the keyboard scroll what is wider than a page, and names the cells of tables."""
    return _TABLE.sub(_name_cells, html.replace("<pre>", '<pre tabindex="0">'))


def _name_cells(table: re.Match[str]) -> str:
    """Gives each cell its column's heading, for narrow screens; an empty corner heads no column."""
    head, end, body = table[0].partition("</thead>")
    names = [_TAG.sub("", found).replace('"', "&quot;") for found in _HEADING.findall(head)]

    def name_row(row: re.Match[str]) -> str:
        left = iter(names)
        return _CELL.sub(lambda _: f'<td data-name="{next(left, "")}"', row[0])

    head = _HEADING.sub(lambda one: one[0] if one[1] else "<td></td>", head)
    if len(names) > _WIDEST:
        head = head.replace("<table>", '<table class="matrix">')
    return head + end + _ROW.sub(name_row, body)
