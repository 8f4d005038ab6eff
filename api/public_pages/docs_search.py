"""Search in the documentation, on the server: its pages run no scripts.

Does not belong here: the site's index, which `make docs` writes (`search/search_index.json`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from typing import Final

import msgspec

from api.public_pages.docs_files import SEARCH_INDEX, DocsSite

LONGEST_QUERY: Final = 100
_MOST_WORDS: Final = 8
_MOST_RESULTS: Final = 30
_TITLE_WEIGHT: Final = 20
_MOST_HITS: Final = 10  # of a word in one section
_AROUND: Final = 90  # characters of an excerpt before and after a word


@dataclass(frozen=True, slots=True)
class DocsSection:
    """One section of the documentation: its address in the site, its title and its text.

    page: title of its page. folded: the text, for comparing.
    """

    location: str
    page: str
    title: str
    text: str
    folded: str


@dataclass(frozen=True, slots=True)
class DocsResult:
    """A section that has every word of a query, with the text around the first of them, and the title of its page."""

    location: str
    page: str
    title: str
    excerpt: str


class DocsSearch:
    """The sections of a site, read once."""

    def __init__(self, site: DocsSite) -> None:
        self._site = site
        self._sections: Sequence[DocsSection] | None = None

    def find(self, query: str) -> list[DocsResult]:
        """Sections with every word of a query, those with words in their titles first.

        Of a query the first `LONGEST_QUERY` characters count. Takes time in proportion to the text of the site.
        """
        words = query[:LONGEST_QUERY].casefold().split()[:_MOST_WORDS]
        if not words:
            return []
        scored = [(_score(section, words), section) for section in self._load()]
        found = sorted((one for one in scored if one[0]), key=lambda one: -one[0])[:_MOST_RESULTS]
        return [DocsResult(one.location, one.page, one.title, _excerpt(one, words)) for _, one in found]

    def _load(self) -> Sequence[DocsSection]:
        if self._sections is None:
            index = self._site.find(SEARCH_INDEX)
            self._sections = [] if index is None else _read_sections(msgspec.json.decode(index.body)["docs"])
        return self._sections


def _read_sections(entries: Sequence[dict[str, str]]) -> list[DocsSection]:
    """The sections of the site's index, which has the text of each page twice: once whole, then by its sections.

    Titles are HTML, texts are not (mkdocs' plugin `search`).
    """
    titles = {one["location"]: unescape(one["title"]) for one in entries if "#" not in one["location"]}
    found = []
    for one in entries:
        page, anchor, _ = one["location"].partition("#")
        if anchor:
            text = " ".join(one["text"].split())
            found.append(DocsSection(one["location"], titles[page], unescape(one["title"]), text, text.casefold()))
    return found


def _score(section: DocsSection, words: Sequence[str]) -> int:
    title = section.title.casefold()
    counts = [_TITLE_WEIGHT * (word in title) + min(section.folded.count(word), _MOST_HITS) for word in words]
    return sum(counts) if all(counts) else 0


def _excerpt(section: DocsSection, words: Sequence[str]) -> str:
    """The text around the first word, in whole words."""
    first = min((found for word in words if (found := section.folded.find(word)) >= 0), default=0)
    at = max(0, first - _AROUND)
    cut = section.text[at : at + 2 * _AROUND]
    is_end = at + len(cut) == len(section.text)
    if at:
        cut = f"… {cut.partition(' ')[2] or cut}"
    return cut if is_end else f"{cut.rpartition(' ')[0] or cut} …"
