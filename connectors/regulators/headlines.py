"""Feeds with sentences as items: «FCA fines Example Bank Plc £1.2 million» (docs/formats/news.md 1.2 to 1.5).

Belongs here: an item to an act, by the words of its language. Does not belong here: those words (`sentences`),
or one authority's URLs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from connectors.declare import Cadence, Dataset, Guard, Licence
from connectors.kit import staged
from connectors.kit.staged import Tally
from connectors.matching.alerts import is_law_firm_alert
from connectors.matching.names import taken_apart
from connectors.matching.parties import CUT, Parties, parties
from connectors.regulators import acts, feeds, fetching, kinds, reading
from connectors.regulators.acts import SURE, Act, Respondent
from connectors.regulators.amounts import amount
from connectors.regulators.authorities import Authority
from connectors.regulators.feeds import Feed, Item
from connectors.regulators.reading import NOBODY, WITHHELD, Rejected
from connectors.regulators.sentences import Language, said
from connectors.regulators.somebody import is_person_of

_SOMEBODY: Final = frozenset(
    {
        "his",
        "her",
        "its",
        "their",
        "a",
        "an",
        "one",
        "two",
        "three",
        "four",
        "five",
        "several",
        "man",
        "woman",
        "men",
    }
)
_NAME: Final = re.compile(r"[A-ZÅÄÖØÆ0-9]")  # «sanktionsavgift för sen anmälan» contains no name

# «Ann B. Example»: not a company by its name, and perhaps not one at all
_PERSON: Final = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,3}")


def _never(_item: Item) -> bool:
    return False


def _path(authority: Authority, item: Item) -> str | None:
    return feeds.path(item.link, authority.host)


@dataclass(frozen=True, slots=True)
class _Told:
    """An act parsed from a headline. shown: its title without persons; title: the same, to be parsed again."""

    kind: str
    respondents: tuple[Respondent, ...]
    shown: str
    title: str


@dataclass(frozen=True, slots=True)
class Headlines:
    """One authority's feeds of headlines.

    market: the market with the legal forms that mark a company. zone: for times without one. urls, files: the
    URLs, and the file names in a folder. taken: categories that are read, of `known`; all if none are declared.
    firms_only: items of a list of companies only. identify: the id of an act; None if the item has none.
    """

    authority: Authority
    language: Language
    market: str
    zone: str
    urls: tuple[str, ...]
    files: tuple[str, ...]
    taken: frozenset[str] | None = None
    known: frozenset[str] = frozenset()
    firms_only: Callable[[Item], bool] = _never
    identify: Callable[[Authority, Item], str | None] = _path

    def act(self, _feed: Feed, item: Item, tally: Tally) -> Act | Rejected:
        """The act of an item, or the reason why there is none."""
        native_id = self.identify(self.authority, item)
        if native_id is None:
            return Rejected(f"no address on {self.authority.host} to identify it")
        for category in item.categories:
            if self.known and category not in self.known:
                tally.add("unknown_code", f"category {category}", native_id)
        told = self._headline_act(item)
        if told is None:
            return Rejected(NOBODY)
        published_at = feeds.instant(item.stamp, self.zone)
        if published_at is None:
            return Rejected(f"no time: {item.stamp[:60]!r}")
        if told.kind == kinds.OTHER and told.respondents[0].name is None:
            tally.add("unknown_kind", item.title[:80], native_id)
        url = item.link if feeds.path(item.link, self.authority.host) else None
        fine = self._stated_fine(told, item)
        return Act(
            self.authority, native_id, told.kind, told.shown, url, published_at, told.respondents, *fine
        )

    def kept(self, _feed: Feed, item: Item) -> Item:
        """The archived form of an item: its text is replaced by the fine stated in it."""
        told = self._headline_act(item)
        if told is None:
            return reading.withheld(item)
        fine, currency = self._stated_fine(told, item)
        return replace(item, title=told.title, text="" if fine is None else f"{currency} {fine}", creator="")

    def _headline_act(self, item: Item) -> _Told | None:
        """The act in an item; None if it has no act, or none against a company."""
        is_taken = self.taken is None or not item.categories or not self.taken.isdisjoint(item.categories)
        if not is_taken or item.title == WITHHELD or is_law_firm_alert(item.title):
            return None
        found = said(item.title, self.language)
        if found.kind in kinds.NEVER_MATCHED:
            return _Told(found.kind, (Respondent(None, SURE),), item.title, item.title)
        if found.is_somebodys:
            return None
        if self.firms_only(item):  # anything in it is an act against one of them
            firms = self._firm_respondents(found.party)
            return _Told(found.kind or kinds.OTHER, firms, item.title, item.title) if firms else None
        return (
            None
            if found.kind is None or found.party is None
            else self._named_act(found.kind, found.party, item)
        )

    def _firm_respondents(self, party: str | None) -> tuple[Respondent, ...]:
        """Respondents in a list of firms: a name needs no legal form there, unless it may be a person's."""
        if party is None or _NAME.match(party) is None:
            return (Respondent(None, SURE),)
        named = parties(party, self.market)
        if not named.companies and _PERSON.fullmatch(party):
            return ()
        if named.others or not named.companies:
            return (Respondent(party, SURE),)
        return tuple(Respondent(one.name, SURE, one.is_whole) for one in named.companies)

    def _named_act(self, kind: str, party: str, item: Item) -> _Told | None:
        """Respondents of a sentence; persons named with them are removed from the title."""
        named = self._only_companies(parties(party, self.market))
        if not named.companies:
            return None
        if not named.others:
            return _Told(kind, acts.respondents(named.companies), item.title.replace(CUT, ""), item.title)
        shown, title = (item.title.replace(party, text) for text in (named.shown, named.title))
        return _Told(kind, acts.respondents(named.companies), shown, title)

    def _only_companies(self, named: Parties) -> Parties:
        """Respondents that are companies by their names; the others are counted as persons."""
        kept = tuple(
            one
            for one in named.companies
            if not self._is_description(one.name) and not is_person_of(one.name, self.market)
        )
        return replace(named, companies=kept, others=named.others + len(named.companies) - len(kept))

    def _is_description(self, name: str) -> bool:
        """«Florida Company», «His Firm»: descriptions of a company that are not names."""
        core, forms = taken_apart(name, self.market)
        words = core.split()
        return words[:1] == [] or words[0] in _SOMEBODY or (forms == "co" and len(words) == 1)

    def _stated_fine(self, told: _Told, item: Item) -> tuple[int | None, str | None]:
        if told.kind != kinds.SANCTION_FINE:
            return None, None
        return amount(self.market, item.title, item.text)


def dataset(key: str, title: str, licence: Licence, cadence: Cadence, headlines: Headlines) -> Dataset:
    """The declaration of one authority's dataset."""
    table = acts.table(headlines.market)
    return Dataset(
        key=key,
        title=title,
        licence=licence,
        cadence=cadence,
        guard=Guard(max_rejected=0.2),
        host=headlines.authority.host,
        rate=0.5,  # some of these pages are behind bot protection
        staged={table.name: table},
        files=headlines.files,
        recognise=reading.recognise,
        split=staged.single,
        read=partial(reading.read, table, headlines.act),
        redact=partial(reading.redact, headlines.kept),
        fetch=partial(fetching.feeds, headlines.urls),
    )
