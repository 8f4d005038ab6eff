"""Feeds with sentences as items: «FCA fines Example Bank Plc £1.2 million» (docs/formats/news.md 1.2 to 1.5).

Belongs here: an item to an act, by the words of its language. Does not belong here: those words
(`headline_grammar`), or one authority's URLs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.kit.staging import SignalCounter
from connectors.regulators import act_types, common, feeds, fetch, schema
from connectors.regulators.about_individuals import is_person_of_company
from connectors.regulators.amounts import parse_amount
from connectors.regulators.authorities import Authority
from connectors.regulators.common import NOBODY, WITHHELD, RejectedAct
from connectors.regulators.feeds import ActFeed, FeedItem
from connectors.regulators.headline_grammar import HeadlineLanguage, parse_headline
from connectors.regulators.schema import SURE, ActRespondent, RegulatoryAct
from name_matching.core_name import split_core_and_forms
from name_matching.law_firm_alerts import is_law_firm_alert
from name_matching.respondents import CUT, TitleParties, parse_parties

_SOMEBODY: Final = frozenset(
    {"his", "her", "its", "their", "a", "an", "one", "two", "three", "four", "five", "several"}
    | {"man", "woman", "men"}
)
_NAME: Final = re.compile(r"[A-ZÅÄÖØÆ0-9]")  # «sanktionsavgift för sen anmälan» contains no name

# «Ann B. Example»: not a company by its name, and perhaps not one at all
_PERSON: Final = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,3}")


def _always_false(_item: FeedItem) -> bool:
    return False


def _link_path(authority: Authority, item: FeedItem) -> str | None:
    return feeds.authority_path(item.link, authority.host)


@dataclass(frozen=True, slots=True)
class _HeadlineAct:
    """An act parsed from a headline. shown: its title without persons; title: the same, to be parsed again."""

    kind: str
    respondents: tuple[ActRespondent, ...]
    shown: str
    title: str


@dataclass(frozen=True, slots=True)
class HeadlineFeeds:
    """One authority's feeds of headlines.

    market: the market with the legal forms that mark a company. zone: for times without one. urls, files: the URLs,
    and the file names in a folder. taken: categories that are read, of `known_categories`; all if none are
    declared. is_firm_list: items of a list of companies only. identify: the id of an act; None if the item has none.
    """

    authority: Authority
    language: HeadlineLanguage
    market: str
    zone: str
    urls: tuple[str, ...]
    files: tuple[str, ...]
    taken: frozenset[str] | None = None
    known_categories: frozenset[str] = frozenset()
    is_firm_list: Callable[[FeedItem], bool] = _always_false
    identify: Callable[[Authority, FeedItem], str | None] = _link_path

    def act(self, _feed: ActFeed, item: FeedItem, tally: SignalCounter) -> RegulatoryAct | RejectedAct:
        """The act of an item, or the reason why there is none."""
        native_id = self.identify(self.authority, item)
        if native_id is None:
            return RejectedAct(f"no address on {self.authority.host} to identify it")
        for category in item.categories:
            if self.known_categories and category not in self.known_categories:
                tally.add("unknown_code", f"category {category}", native_id)
        told = self._headline_act(item)
        if told is None:
            return RejectedAct(NOBODY)
        published_at = feeds.parse_feed_time(item.published_text, self.zone)
        if published_at is None:
            return RejectedAct(f"no time: {item.published_text[:60]!r}")
        if told.kind == act_types.OTHER and told.respondents[0].name is None:
            tally.add("unknown_kind", item.title[:80], native_id)
        url = item.link if feeds.authority_path(item.link, self.authority.host) else None
        fine = self._stated_fine(told, item)
        return RegulatoryAct(
            self.authority, native_id, told.kind, told.shown, url, published_at, told.respondents, *fine
        )

    def redact_item(self, _feed: ActFeed, item: FeedItem) -> FeedItem:
        """The archived form of an item: its text is replaced by the fine stated in it."""
        told = self._headline_act(item)
        if told is None:
            return common.anonymise_item(item)
        fine, currency = self._stated_fine(told, item)
        return replace(item, title=told.title, text="" if fine is None else f"{currency} {fine}", creator="")

    def _headline_act(self, item: FeedItem) -> _HeadlineAct | None:
        """The act in an item; None if it has no act, or none against a company."""
        is_taken = self.taken is None or not item.categories or not self.taken.isdisjoint(item.categories)
        if not is_taken or item.title == WITHHELD or is_law_firm_alert(item.title):
            return None
        found = parse_headline(item.title, self.language)
        if found.kind in act_types.NEVER_MATCHED:
            return _HeadlineAct(found.kind, (ActRespondent(None, SURE),), item.title, item.title)
        if found.is_about_party:
            return None
        if self.is_firm_list(item):  # anything in it is an act against one of them
            firms = self._firm_respondents(found.party)
            return _HeadlineAct(found.kind or act_types.OTHER, firms, item.title, item.title) if firms else None
        return None if found.kind is None or found.party is None else self._named_act(found.kind, found.party, item)

    def _firm_respondents(self, party: str | None) -> tuple[ActRespondent, ...]:
        """Respondents in a list of firms: a name needs no legal form there, unless it may be a person's."""
        if party is None or _NAME.match(party) is None:
            return (ActRespondent(None, SURE),)
        named = parse_parties(party, self.market)
        if not named.companies and _PERSON.fullmatch(party):
            return ()
        if named.others or not named.companies:
            return (ActRespondent(party, SURE),)
        return tuple(ActRespondent(one.name, SURE, one.is_whole) for one in named.companies)

    def _named_act(self, kind: str, party: str, item: FeedItem) -> _HeadlineAct | None:
        """Respondents of a sentence; persons named with them are removed from the title."""
        named = self._only_companies(parse_parties(party, self.market))
        if not named.companies:
            return None
        if not named.others:
            return _HeadlineAct(kind, schema.to_respondents(named.companies), item.title.replace(CUT, ""), item.title)
        shown, title = (item.title.replace(party, text) for text in (named.display_title, named.title))
        return _HeadlineAct(kind, schema.to_respondents(named.companies), shown, title)

    def _only_companies(self, named: TitleParties) -> TitleParties:
        """Respondents that are companies by their names; the others are counted as persons."""
        kept = tuple(
            one
            for one in named.companies
            if not self._is_description(one.name) and not is_person_of_company(one.name, self.market)
        )
        return replace(named, companies=kept, others=named.others + len(named.companies) - len(kept))

    def _is_description(self, name: str) -> bool:
        """«Florida Company», «His Firm»: descriptions of a company that are not names."""
        core, forms = split_core_and_forms(name, self.market)
        words = core.split()
        return words[:1] == [] or words[0] in _SOMEBODY or (forms == "co" and len(words) == 1)

    def _stated_fine(self, told: _HeadlineAct, item: FeedItem) -> tuple[int | None, str | None]:
        if told.kind != act_types.SANCTION_FINE:
            return None, None
        return parse_amount(self.market, item.title, item.text)


def headlines_dataset(
    key: str, title: str, licence: Licence, cadence: Cadence, headlines: HeadlineFeeds, out_of_reach: str | None = None
) -> Dataset:
    """The declaration of one authority's dataset."""
    table = schema.acts_table(headlines.market)
    return Dataset(
        key=key,
        title=title,
        licence=licence,
        cadence=cadence,
        guard_limits=GuardLimits(max_rejected=0.2),
        host=headlines.authority.host,
        staged_tables={table.name: table},
        file_patterns=headlines.files,
        recognise_file=common.recognise_file,
        read_batches=partial(common.read_batches, table, headlines.act),
        redact=partial(common.redact, headlines.redact_item),
        fetch=partial(fetch.fetch_feeds, headlines.urls),
        out_of_reach=out_of_reach,
    )
