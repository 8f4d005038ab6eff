"""Extracts holder and issuer names from the sentences of a notice.

A name is a run of words starting with a capital letter or a digit; lower-case names are not recognised. Does
not belong here: percentages (`sentences`), or which company of the register is meant (`Jurisdiction.links`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from connectors.nasdaq.major_holdings.form_row import NotFlaggingFormError
from connectors.nasdaq.major_holdings.holder_types import holder_type
from name_matching.folding import fold_text

LONGEST: Final = 120  # characters of a name
_W: Final = r"[A-ZÅÄÖÉÜØÆ0-9][\w&.'’+/-]{0,40}"
_NAME: Final = (
    rf"(?P<name>{_W}(?:(?:, (?=(?:Inc|Ltd|LLC|L\.?P|LLP|N\.?V|S\.?A|plc|ömsesidigt)\b)| )"
    rf"(?:{_W}|&|of|de|van|von|der|la|for|för|ömsesidigt)(?=[\s,.;:|()'’–—]|$)){{0,9}})"
)
_IN_BRACKETS: Final = r"(?: *\([^()\n]{0,80}\))?(?:, (?:genom|via|through) [^,\n]{1,60},)?"
_SOME: Final = r"(?:[\w.,()/:-]{1,30} +){0,9}?"
_STARTS: Final = r"(?:^\W{0,6}|[.:–—|] +|\b(?:att|that|då|where) +)"
_SAYS: Final = (
    r"(?:meddelat|anmält|flaggat|informerat|underrättat|ökat|minskat|passerat|förvärvat|köpt|sålt|avyttrat|överskridit"
    r"|underskridit|överstigit|understigit|nått|uppnått|gått|sjunkit)"
)
_SAID: Final = (
    r"(?:notified|informed|disclosed|reported|flagged|announced|increased|decreased|reduced|crossed|acquired|sold|disposed"
    r"|exceeded|reached|fallen|passed|gone|dropped|bought|purchased|divested)"
)
_HOLDS: Final = (
    r"(?:flaggar|ökar|minskar|passerar|äger|innehar|kontrollerar|meddelar +en +ändring|holds|owns|controls"
    r"|increases|decreases|reduces|crosses|exceeds|passes|flags|now +(?:holds|owns|controls))"
)
_NOTICE: Final = (
    r"(?:\w{0,40}flaggning\w{0,40}|\w{0,40}anmälan|meddelande|underrättelse|information|notification|notice|announcement|disclosure"
    r"|informerats|underrättats|informed|notified)"
)
_HOLDING: Final = r"(?:\w{0,40}innehav\w{0,40}|\w{0,40}holding|ägande\w*|ownership|stake)"
_TITLE: Final = r"(?:(?:the +)?(?:shareholder|aktieägaren|ägaren) +)?"
_HOLDERS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"{_STARTS}{_NAME}{_IN_BRACKETS},? +(?i:har|has|have) +(?i:{_SOME}(?:{_SAYS}|{_SAID}))\b",
        rf"{_STARTS}{_NAME}{_IN_BRACKETS} +(?i:(?:nu +|now +)?{_HOLDS})\b",
        rf"\b[Hh]ar +{_NAME}{_IN_BRACKETS},? +(?i:{_SOME}{_SAYS})\b",
        rf"\b(?i:{_NOTICE} +(?:\w+ +){{0,4}}?(?:från|from|av|by) +{_TITLE}){_NAME}",
        rf"{_NAME}(?::s|['’]s) +(?i:(?:\w+ +){{0,2}}{_HOLDING})\b",
        rf"\b(?i:ägs|innehas|owned|held) +(?i:av|by) +{_NAME}",
    )
)
_LABELLED: Final = re.compile(
    r"^[^\w\n]*+(?i:innehavare|aktieägare|ägare|anmälningsskyldig|flaggningsskyldig|holder|shareholder|owner|notifier"
    r"|namn +på +(?:aktieägare\w*|innehavare\w*)|name +of +(?:the +)?(?:share)?holder) *[:|] *"
    r"(?P<name>[^|\n]{2,120}?) *(?:\||$)",
    re.MULTILINE,
)
_HELD: Final = (
    r"(?:\w{0,40}innehav(?:et)?|aktier(?:na)?|röster(?:na)?|röstetal(?:et)?|kapitalet|aktiekapitalet|ägande(?:t)?"
    r"|\w{0,40}flaggning(?:smeddelande)?|flaggar|flaggat|\w{0,40}holdings?|shares|votes|rights|capital|stake|ownership"
    r"|announcement|notice|notification)"
)
_TOLD: Final = r"(?:mottagit|tagit +emot|erhållit|received|informerats|underrättats|been +(?:notified|informed))"
_ISSUERS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"\b(?i:{_HELD} +(?:i|in|avseende|rörande|regarding|concerning) +(?:bolaget +|the +company +)?){_NAME}",
        rf"{_STARTS}{_NAME}{_IN_BRACKETS},? +(?i:har|has) +(?i:{_SOME}{_TOLD})\b",
        rf"{_STARTS}{_NAME}{_IN_BRACKETS} +(?i:meddelar +att|announces +that|mottar|receives)\b",
    )
)
_LABELLED_ISSUER: Final = re.compile(
    r"^[^\w\n]*+(?i:emittent|utgivare|bolag|issuer|company) *[:|] *(?P<name>[^|\n]{2,120}?) *(?:\||$)", re.MULTILINE
)
_ROLE: Final = re.compile(
    r"^(?:(?:stor|huvud)?ägaren?|aktieägaren?|investeraren?|shareholder|investor|flaggning\w*|idag|today) +",
    re.IGNORECASE,
)
_BIRTH: Final = re.compile(
    r"^\d{6,12}(?:[-+ ]\d{4})? +|(?<![\s(,])[\s(,]+\d{6}(?:\d{2})?-?\d{0,4}\)?$"
)  # a personal identity number
_NO_HOLDERS: Final = """
    bolaget, företaget, koncernen, styrelsen, vi, aktieägaren, ägaren, innehavet, innehavaren, the, company,
    the company, the board, we, it, the shareholder, shareholder, finansinspektionen, flaggning,
    flaggningsmeddelande, transaktionen, nasdaq, nasdaq stockholm, detta, det, den, this, de, han, hon, he,
    she, they, major shareholder, efter, före, after, before
"""
_NOBODY: Final = frozenset(map(fold_text, _NO_HOLDERS.split(",")))
_FORMS: Final = frozenset({"ab", "publ", "aktiebolag", "aktiebolaget", "the"})


def find_holder(text: str, author: str | None) -> str:
    """The one holder named in a text, other than the issuer.

    author: the issuer that published the release, if known from outside the text.
    Raises NotFlaggingFormError if none or several are named.
    """
    named = _clean_all((_LABELLED,), text) or _clean_all(_HOLDERS, text)
    received = _clean_all(_ISSUERS[1:], text)
    issuers = {comparable_words(name) for name in (author, *received) if name} - {()}
    found: dict[str, str] = {}
    for name in named:
        is_issuer = comparable_words(name) in issuers
        if name and fold_text(name) not in _NOBODY and len(name) <= LONGEST and not is_issuer:
            found.setdefault(fold_text(name), name)
    longest = _longest_names(found)
    if len(longest) != 1:
        raise NotFlaggingFormError("no holder in the text" if not longest else "more than one holder in the text")
    return longest[0]


def find_issuer(text: str, author: str | None) -> str | None:
    """The company held according to the text: the author if the text names it; None if it names no company.

    Raises NotFlaggingFormError if it names several others.
    """
    held = [*_clean_all((_LABELLED_ISSUER,), text), *_clean_all(_ISSUERS[:1], text)]
    # the announcer is the issuer only if the text names no company held
    named = held or _clean_all(_ISSUERS[1:], text)
    found = {fold_text(name): name for name in named if name and fold_text(name) not in _NOBODY}
    if author is not None and any(is_name_prefix(author, name) for name in found.values()):
        others = [name for name in found.values() if not is_name_prefix(author, name)]
        if any(holder_type(name) == "company" for name in others):
            raise NotFlaggingFormError("more than one issuer in the text")
        return author
    longest = _longest_names(found)
    if len(longest) > 1:
        raise NotFlaggingFormError("more than one issuer in the text")
    return longest[0] if longest else None


def _clean_all(patterns: Iterable[re.Pattern[str]], text: str) -> list[str]:
    return [clean_name(found["name"]) for pattern in patterns for found in pattern.finditer(text)]


def clean_name(name: str) -> str:
    """Name without role words, birth number and punctuation at the ends."""
    plain = _BIRTH.sub("", _ROLE.sub("", " ".join(name.split())))
    return plain.strip(" ,;:–—-|").removesuffix("(publ)").rstrip(" .") + ("." if plain.endswith("Inc.") else "")


def _longest_names(found: dict[str, str]) -> list[str]:
    """Drops names that are a prefix of a longer one: «AMF» and «AMF Tjänstepension AB» are one holder."""
    inorder = sorted(f"{key} " for key in found)  # sorted, a longer name directly follows its prefix
    shorter = {one for one, following in pairwise(inorder) if following.startswith(one)}
    return [name for key, name in found.items() if f"{key} " not in shorter]


def comparable_words(name: str) -> tuple[str, ...]:
    """Comparison form of a name: no case, punctuation or limited-company markers."""
    return tuple(word for word in fold_text(name).split() if word not in _FORMS)


def is_same_name(first: str, second: str) -> bool:
    """True if two names are equal in the form of `comparable_words`."""
    return comparable_words(first) == comparable_words(second) != ()


def is_name_prefix(one: str, other: str) -> bool:
    """True if one name is a prefix of the other: a text calls Exempel Holding AB «Exempel»."""
    first, second = comparable_words(one), comparable_words(other)
    count = min(len(first), len(second))
    return count > 0 and first[:count] == second[:count]
