"""Parses respondents of a title: which companies an act is about, and how many persons.

Names of persons do not leave this module: parties not marked as companies are only counted
(docs/formats/news.md 1.1). Does not belong here: sentences (`connectors.regulators.headline_grammar`), or which
company a name means (`decide`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from name_matching.company_markers import PERSONAL, CompanyMarker, detect_company_marker
from name_matching.core_name import split_core_and_forms
from name_matching.legal_forms import AND
from warehouse.schema.markets import MARKETS

LONGEST: Final = 4_000  # characters of a title; the longest known have a few hundred
MOST: Final = 60  # parties
_BLANKS: Final = re.compile(r"\s+")
_CASE: Final = re.compile(r"^(?:in the matter of:?|in re:?|(?:u\.?s\.? )?(?:securities and exchange commission|"
                          r"commodity futures trading commission|sec|cftc) v\.?s?\.?) ", re.IGNORECASE)  # fmt: skip
_OTHERS: Final = re.compile(r",? ?\bet\.? al\b\.?|,? \band others(?= ?[,;]|$)", re.IGNORECASE)
_ALIAS: Final = re.compile(r"(?:^|,? )\(?(?:a/k/a|f/k/a|n/k/a|d/b/a|aka|fka|nka|dba|also known as|"
                           r"formerly known as|now known as|doing business as)[/: ]", re.IGNORECASE)  # fmt: skip
_BRACKETED_ALIAS: Final = re.compile(
    r" ?\((?:[anfd]/[kb]/a|aka|fka|nka|dba|also|formerly|now|doing|collectively)\b[^()]{0,300}\)", re.IGNORECASE
)
_BRACKETS: Final = re.compile(r"\(([^()]{0,80})\)")
_SYMBOL: Final = re.compile(r"^(?:(?:NASDAQ|Nasdaq|NYSE|OTC|OTCQB|Ticker)[ :]*)?[A-Z]{1,6}(?:[.:-][A-Z]{1,5})?$")
_GONE: Final = "…"
CUT: Final = f"{_GONE} and "  # replaces removed persons of a title; they were joined by «and» alone
# countries in which a form may follow a comma
_WRITTEN_APART: Final = [code for code, market in MARKETS.items() if market.legal_forms.after_comma]


@dataclass(frozen=True, slots=True)
class TitleCompany:
    """One company of a title. `is_whole`: false if the «and» before it may be part of its name."""

    name: str
    company_marker: CompanyMarker
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class TitleParties:
    """All respondents of a title. `others`: number of non-companies; `is_open`: the title mentions others."""

    companies: tuple[TitleCompany, ...]
    others: int
    is_open: bool

    @property
    def title(self) -> str:
        """The title without persons; parsing it gives the same companies."""
        return self._join_names([one.name if one.is_whole else f"{CUT}{one.name}" for one in self.companies])

    @property
    def display_title(self) -> str:
        """The title without persons, for display; it need not parse to the same companies."""
        return self._join_names([one.name for one in self.companies])

    def _join_names(self, names: list[str]) -> str:
        return f"{'; '.join(names)} and others" if self.others or self.is_open else "; ".join(names)


def parse_parties(title: str, country: str) -> TitleParties:
    """Companies of a title of respondents, in order, each once; persons are counted."""
    text = _CASE.sub("", _BRACKETED_ALIAS.sub("", _BLANKS.sub(" ", title[:LONGEST])).strip())
    is_open = _OTHERS.search(text) is not None
    named = _split_names(_OTHERS.sub("", text), country)
    companies: dict[str, TitleCompany] = {}
    others = 0
    for name, is_whole in named[:MOST]:
        said = detect_company_marker(name, country)
        if said is CompanyMarker.NONE:
            others += 1
        else:
            companies.setdefault(name, TitleCompany(name, said, is_whole))
    return TitleParties(tuple(companies.values()), others, is_open)


def _split_names(text: str, country: str) -> list[tuple[str, bool]]:
    """Names, and whether each is separate from the preceding text."""
    split = _separator_pattern(country)
    signs = ["", *(_separator_word(found[0]) for found in split.finditer(text))]
    names: list[tuple[str, bool]] = []
    cut = False  # the preceding person was removed
    is_alias = False  # after a removed name, the text behind a comma is that name's form
    for sign, piece in zip(signs, split.split(text), strict=True):
        bare = _strip_aliases(piece)
        if not bare:
            cut = cut or piece.strip() == _GONE
            continue
        before = names[-1][0] if names and not cut else ""
        if before and _is_form_or_title(bare):
            between = f" {sign} " if sign.isalpha() else ", "
            names[-1] = names[-1] if is_alias else (f"{before}{between}{bare}", names[-1][1])
        elif before and sign.isalpha() and _is_surname(before, country):
            # a person has more than one name: «Barnes and Noble, Inc.», «Askim og Spydeberg Sparebank»
            names[-1] = (f"{before} {sign} {bare}", names[-1][1])
        else:
            names.append((bare, not cut and _is_name_complete(before, sign, country)))
        cut, is_alias = False, _ALIAS.search(piece) is not None
    return names


def _separator_word(between: str) -> str:
    """The separator: a comma or semicolon with any word after it, or a word alone."""
    said = between.lower().split()
    return said[0] if not said[0].isalpha() else said[-1]


@cache
def _separator_pattern(country: str) -> re.Pattern[str]:
    """Separators between respondents."""
    ands = "|".join(("and", *AND[country]))
    return re.compile(rf" ?[,;] (?:(?:{ands}) (?=\S))?| ?; ?|(?: (?:{ands}))+ ", re.IGNORECASE)


def _is_name_complete(before: str, sign: str, country: str) -> bool:
    """True if a name ends before a separator: «Black Hills Energy and Power Corp.» may be one name."""
    if not before:
        return not sign.isalpha()
    return detect_company_marker(before, country) is CompanyMarker.FORM or not (
        sign.isalpha() or _is_surname(before, country)
    )


def _is_surname(name: str, country: str) -> bool:
    return len(name.split()) == 1 and detect_company_marker(name, country) is CompanyMarker.NONE


def _is_form_or_title(piece: str) -> bool:
    """True if the text after a separator is a form or title of the name before: «, Inc.», «and Company»."""
    words = [word.replace(".", "").lower() for word in piece.split()]
    if all(word in PERSONAL for word in words):
        return True
    return any(not split_core_and_forms(piece, country).core for country in _WRITTEN_APART) and words != ["the"]


def _strip_aliases(piece: str) -> str:
    """A name without aliases and bracketed ticker symbols; empty for our own ellipsis."""
    name = _ALIAS.split(piece, maxsplit=1)[0]
    name = _BRACKETS.sub(lambda found: "" if _SYMBOL.match(found[1].strip()) else found[0], name)
    return _BLANKS.sub(" ", name).strip(" ,;-–:…")
