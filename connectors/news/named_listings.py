"""Names of companies with their listings, as texts give them together: «Acme, Inc. (Nasdaq: ACM, ACMW; TSX: ACM)».

Belongs here: brackets with listings, and the name before them (docs/formats/news.md 2.11). Does not belong here:
exchanges by their names (`issuer_evidence`), or which company has a symbol (`link_keys`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from connectors.news.issuer_evidence import exchange_mic, parse_symbols
from name_matching.legal_forms import FORMS

_REACH: Final = 160  # characters before brackets that may be the name
_SMALL_WORDS: Final = 3  # of a headline that may be a name's in small letters: «lululemon athletica inc. Opens»
_WORDS: Final = 10  # of a name: «The Bank of New York Mellon Corporation» has seven
_BRACKETS: Final = re.compile(r"\([^()\n]{1,160}\)(?: ?\([^()\n]{1,160}\)){0,2}")
_BRACKET: Final = re.compile(r"\(([^()]+)\)")
_LINK: Final = re.compile(r"\[([^\[\]()\n]{1,40})\]\([^()\s]{0,300}\)")  # of Markdown: [CCL](#quote)
# «(NYSE: BABA and HKEX: 9988 (HKD Counter) and 89988 (RMB Counter))»
_NESTED: Final = re.compile(
    r"(\([^()\n]{1,120})\([^()\n]{0,60}\)(?=[^()\n]{0,120}(?:\([^()\n]{0,60}\)[^()\n]{0,120}){0,2}\))"
)
_NESTINGS: Final = 3
_OTHER_SIGNS: Final = str.maketrans("[]：（）", "():()")
_LISTING: Final = re.compile(r"\s*(?:[;,/&|]|\band\b)\s*")  # what separates the listings of one bracket
# A class after the sign that separates listings: «BRK/B», «MOG.A/B»
_CLASS: Final = re.compile(r"\b([A-Z]{1,5})(?:\.([A-Z]))?/([A-Z]|WS|PR[A-Z])(?![\w.:])")
_SUFFIX: Final = r"(?:[A-Z]|PR ?[A-Z]?|WS(?: ?[A-Z])?)"  # of a class, of preferred shares, of warrants
_LISTED: Final = re.compile(
    rf"(?:(?P<exchange>[^:]{{1,60}}):)?\s*\$?(?P<ticker>[A-Z0-9][A-Z0-9.\-]{{0,9}}(?: {_SUFFIX})?)"
)
_SMALL: Final = re.compile(r"(?P<exchange>[^:]{1,60}):\s*(?P<ticker>[a-z][a-z0-9.\-]{0,5})")
_UNMARKED: Final = re.compile(r"(.{2,60}?)(?:\s*[-–—]\s*|\s+)([A-Z0-9][A-Z0-9.]{0,9})")
_QUOTES: Final = re.compile(r"[\"“”„‘’']")
# Before the headline itself: it corrects an earlier release, or says what it is
_LABEL: Final = re.compile(
    r"[\W_]*(?:/?c o r r e c t i o n|correct(?:ion|ed|ing)|updat(?:e|ed)|revised|replac(?:es|ed|ing|ement)|"
    r"(?:media )?advisory)(?:(?: and|,) (?:replac|updat)ing)?(?: (?:photo|video|multimedia|graphic))?\b[\W_]*",
    re.IGNORECASE,
)
_JOINING: Final = frozenset(("of", "and", "the", "for", "in", "de", "van", "von", "und", "et", "y"))
_FORM_WORDS: Final = frozenset(word for forms in FORMS.values() for form in forms for word in form.split())
_ARTICLE: Final = re.compile(r"[\s\"“]*(?:the\s+)?", re.IGNORECASE)
_OUTER: Final = " \t\"“”„‘’'(),:;!?"

Listed = tuple[str, tuple[str, ...]]  # a name and its symbols


def find_issuer(headline: str, text: str, author: str | None = None) -> Listed | None:
    """Name and symbols of the company that a release gives together, if its headline, or author, begins with the name.

    Of several such names the one counts with which the headline has most words in common: of «American Eagle Signs With
    American Airlines» both begin with the same. Within a headline only a name at its beginning is the issuer's.
    """
    title, body = _plain_brackets(headline), _plain_brackets(text.replace("--", "\n"))
    begin = _begin_of_headline(title)
    openings = [words for start in (title, title[begin:], author or "") if (words := _opening_words(start))]
    in_headline = (one for one in _listed_names(title, openings) if title.find(one[0]) <= begin)
    best = max(
        [*in_headline, *_listed_names(body, openings)], key=lambda one: _words_in_common(one[0], openings), default=None
    )
    if best is None or (_words_in_common(best[0], openings) == 1 and _names_another(title[begin:], body)):
        return None
    return best


def _names_another(headline: str, text: str) -> bool:
    """Whether a text has the first two words of its headline elsewhere: a name with one of them only is another's."""
    two = " ".join(word.strip(_OUTER) for word in headline.split()[:2])
    return " " in two and re.search(rf"\b{re.escape(two)}\b", text.replace(headline, "")) is not None


def _plain_brackets(text: str) -> str:
    """A text with round brackets alone, and none within others."""
    plain = _LINK.sub(r"\1", text).translate(_OTHER_SIGNS)
    for _ in range(_NESTINGS):
        plain = _NESTED.sub(r"\1", plain)
    return plain


def _listed_names(text: str, openings: list[list[str]]) -> Iterator[Listed]:
    """Names before brackets with listings, of those that begin as one of some openings does."""
    for found in _BRACKETS.finditer(text):
        before = text[max(found.start() - _REACH, 0) : found.start()].rpartition("\n")[2]
        name = _name_at_end(before.split(), openings)
        symbols = parse_symbols(_listed_symbols(found[0])) if name is not None else ()
        if name is not None and symbols:
            yield name, symbols


def _begin_of_headline(text: str) -> int:
    """Where a headline itself begins, behind a label and an article: «CORRECTION: The Acme Company Opens»."""
    labelled = _LABEL.match(text)
    behind = labelled.end() if labelled else 0
    article = _ARTICLE.match(text, behind)
    return article.end() if article else behind


def _opening_words(text: str) -> list[str]:
    """The first words of a text as they are compared; none if no name begins so."""
    words = [_compared(word) for word in text.split()[:_WORDS]]
    words = words[1:] if words[:1] == ["the"] else words
    return [] if not words or words[0] in {"a", "an", ""} or words[0] in _FORM_WORDS else words


def _words_in_common(name: str, openings: list[list[str]]) -> int:
    """How many of its first words a name has in common with the opening that agrees the most."""
    words = [_compared(word) for word in name.split()]
    pairs = ([one == other for one, other in zip(words, opening, strict=False)] for opening in openings)
    return max((len(list(takewhile(bool, same))) for same in pairs), default=0)


def _compared(word: str) -> str:
    """A word as it is compared: without the signs around it, and not in the genitive."""
    plain = re.sub(r"['’]s?\Z", "", word.casefold().strip(_OUTER))
    return plain.rstrip(".") if len(plain) > 2 else plain  # noqa: PLR2004 - «A.» is an initial


def _name_at_end(words: list[str], openings: list[list[str]]) -> str | None:
    """The name that ends a text and begins as one of some openings does; None if another sentence is between."""
    firsts = {opening[0] for opening in openings}
    inside = {word for opening in openings for word in opening[:_SMALL_WORDS]}
    for place in range(len(words) - 1, max(len(words) - _WORDS, 0) - 1, -1):
        word = _compared(words[place])
        if word in firsts:
            return " ".join(words[place:]).strip(" ,-–—")
        is_part = not words[place][:1].islower() or word in _JOINING or word in _FORM_WORDS or word in inside
        if not is_part:
            return None
    return None


def _listed_symbols(brackets: str) -> Iterator[str]:
    """`exchange:ticker` of each listing in brackets, one by one: an exchange holds until another one is named.

    «NYSE and TSX: ABC» is listed at both. What is no listing is skipped, and so is what follows an unknown exchange.
    """
    for inside in _BRACKET.findall(brackets):
        exchange: str | None = None
        sharing: list[str] = []  # exchanges named before the one whose symbol is theirs too
        for written in _LISTING.split(_CLASS.sub(_with_class, _QUOTES.sub("", inside))):
            listing = _with_colon(written.strip())
            listed = _LISTED.fullmatch(listing) or _SMALL.fullmatch(listing)
            if exchange_mic(written) is not None:
                sharing.append(written)
                continue
            if listed is None:
                exchange = None if ":" in written else exchange
                continue
            exchange = listed["exchange"] or exchange
            at = [*sharing, exchange] if listed["exchange"] or exchange is None else [exchange]
            sharing = []
            yield from (f"{name}:{listed['ticker']}" for name in at if name is not None)


def _with_class(found: re.Match[str]) -> str:
    """The symbols of «BRK/B» and «MOG.A/B», each with its class."""
    symbol, first, other = found.groups()
    if exchange_mic(symbol) is not None:
        return found[0]
    return f"{symbol}.{first}, {symbol}.{other}" if first else f"{symbol}.{other}"


def _with_colon(listing: str) -> str:
    """A listing as `exchange: ticker`: some wires write a dash or nothing for the colon, or the exchange behind it."""
    if ":" not in listing:
        found = _UNMARKED.fullmatch(listing)
        return f"{found[1]}:{found[2]}" if found and exchange_mic(found[1]) is not None else listing
    ticker, _, exchange = listing.partition(":")
    is_reversed = exchange_mic(exchange) is not None and exchange_mic(ticker) is None
    return f"{exchange}:{ticker.strip()}" if is_reversed else listing
