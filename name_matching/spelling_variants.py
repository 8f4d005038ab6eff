"""Spellings in which another writer may give a name: transliterated, abbreviated, with other words for «and».

Two names with one `loose_key` may be one name; how sure that is, is decided in `decide`. `core_spellings` turns it
round: the folded texts (`folding.fold_text`) to look for in an index of folded names, and `form_prefixes` and
`form_suffixes` what may stand before and after them there. Does not belong here: misspellings
(`warehouse.serving.name_terms`), or legal forms themselves (`legal_forms`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from name_matching.folding import fold_nordic_letters
from name_matching.legal_forms import AND, DOUBLED, FORMS, FRONT_FORMS, NOISE

_UMLAUTS: Final = (("ae", "a"), ("oe", "o"))
_AND: Final = "and"
# Business words as they are abbreviated, with their whole form; folded.
_ABBREVIATED: Final = {
    "assn": "association",
    "assoc": "associates",
    "bros": "brothers",
    "forv": "forvaltning",
    "grp": "group",
    "hldg": "holding",
    "hldgs": "holdings",
    "intl": "international",
    "mfg": "manufacturing",
    "mgmt": "management",
    "natl": "national",
    "svc": "service",
    "svcs": "services",
}
_WHOLE: Final = {whole: short for short, whole in _ABBREVIATED.items()}


def loose_key(core: str, country: str) -> str:
    """`hakonandsonsinternational` for the cores «håkon och sons intl» and «haakon and sons international».

    core: of `core_name.core_name`, with or without its Nordic letters.
    """
    ands = _and_words(country)
    words = (_AND if word in ands else word for word in fold_nordic_letters(core).split())
    return _single_letters("".join(_ABBREVIATED.get(word, word) for word in words))


def core_spellings(core: str, country: str) -> tuple[str, ...]:
    """The core as folded names have it: «and» in each of its words, or left out as the sign is."""
    return tuple(dict.fromkeys(_with_each_and(fold_nordic_letters(core), country)))


def other_core_spellings(core: str, country: str) -> tuple[str, ...]:
    """Further spellings with the same `loose_key`, as folded names have them; not those of `core_spellings`."""
    plain = fold_nordic_letters(core)
    words = plain.split()
    others = (
        _single_umlauts(plain),
        _single_letters(plain),
        fold_nordic_letters(core.translate(DOUBLED)),
        " ".join(_ABBREVIATED.get(word, word) for word in words),
        " ".join(_WHOLE.get(word, word) for word in words),
        "".join(words),
    )
    known = core_spellings(core, country)
    found = dict.fromkeys(one for other in others for one in _with_each_and(other, country))
    return tuple(one for one in found if one not in known)


@cache
def form_prefixes(country: str) -> tuple[str, ...]:
    """What may stand before the core in a folded name: nothing, or a form of the country with a blank."""
    return ("", *(f"{one} " for one in _folded_forms(("the", *FRONT_FORMS[country]))))


@cache
def form_suffixes(country: str) -> frozenset[str]:
    """What may stand after the core in a folded name: nothing, a form, `publ`, or both."""
    forms = _folded_forms((*FORMS[country], *NOISE))
    return frozenset(("", *(f" {one}" for one in forms), *(f" {one} {NOISE[0]}" for one in forms)))


def consists_of_forms(text: str, country: str) -> bool:
    """True for what follows a core in a folded name if it is nothing, or one or two forms (`co ltd`)."""
    suffixes = form_suffixes(country)
    if text in suffixes:
        return True
    blanks = (place for place, sign in enumerate(text) if sign == " " and place)
    return any(text[:place] in suffixes and text[place:] in suffixes for place in blanks)


@cache
def _and_words(country: str) -> frozenset[str]:
    return frozenset({_AND, *(fold_nordic_letters(word) for word in AND[country])})


def _with_each_and(text: str, country: str) -> Iterable[str]:
    ands = _and_words(country)
    words = text.split()
    if ands.isdisjoint(words):
        return (text,)
    without = [word for word in words if word not in ands]
    spelled = (" ".join(one if word in ands else word for word in words) for one in sorted(ands))
    return (one for one in (*spelled, " ".join(without)) if one)


def _folded_forms(forms: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fold_nordic_letters(form) for form in forms))


def _single_letters(text: str) -> str:
    """The text with each letter that may stand for å, ä, ö, ø or æ written once; twice is the same as once."""
    return _single_umlauts(text).replace("aa", "a")


def _single_umlauts(text: str) -> str:
    for double, single in _UMLAUTS:
        text = text.replace(double, single)
    return text
