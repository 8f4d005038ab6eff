"""Legal forms and other words of a name that do not distinguish companies (docs/formats/news.md 5).

Belongs here: the markets' declared forms in one table, and those of all countries, with words as in `core_name`:
lower case, without punctuation, `A/S` as `as`. Each form has one canonical spelling (`incorporated` is `inc`), and
different forms mean different companies. Does not belong here: one market's forms
(`connectors/<cc>/market.toml`), where in a name a form is (`core_name`, and among holders
`pipelines.transforms.holders.name_features`), or which words mark a company in a title (`company_markers`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from warehouse.schema.markets import MARKETS, LegalForms

# Forms that are listed or registered in every country.
_ANYWHERE: Final = ("plc", "ltd", "inc", "corp", "llc", "llp", "sa", "nv", "bv", "se", "spa", "ag", "gmbh")
_OF_NO_MARKET: Final[Mapping[str, tuple[str, ...]]] = {
    "sa": ("societe anonyme", "s a", "sa"),
    "sarl": ("sarl", "sa rl"),
    "spa": ("spa",),
    "nv": ("n v", "nv"),
    "bv": ("b v", "bv"),
    "gmbh": ("gmbh",),
    "ag": ("aktiengesellschaft", "ag"),
    "se": ("se",),
}
# Letters that other alphabets write with two: Bjørn is Bjorn in some sources, Bjoern in others.
DOUBLED: Final = str.maketrans({"å": "aa", "ä": "ae", "ö": "oe", "ø": "oe", "æ": "ae"})
_DECLARED: Final = {code: market.legal_forms for code, market in MARKETS.items()}


def _declared_spellings() -> Iterator[tuple[str, str]]:
    for spellings in (_OF_NO_MARKET, *(declared.spellings for declared in _DECLARED.values())):
        for form, written in spellings.items():
            yield from ((form, spelling) for spelling in written)


def _spellings_by_form() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for form, spelling in _declared_spellings():
        found[form] = tuple(dict.fromkeys((*found.get(form, ()), spelling)))
    return found


# Every form with its spellings, in the letters of its language; `a s` is A/S written with a gap.
SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = _spellings_by_form()
# Pairs of forms that are one form in two languages of a country.
SAME: Final[Mapping[str, str]] = {
    form: other for declared in _DECLARED.values() for form, other in declared.equal.items()
}


def _in_every_alphabet(spellings: Iterable[str]) -> Iterator[str]:
    for spelling in spellings:
        yield from {spelling: None, spelling.translate(DOUBLED): None}


def _forms_by_spelling(declared: LegalForms) -> Mapping[str, str]:
    renamed = {**SAME, **declared.renamed}
    forms = (*_ANYWHERE, *declared.spellings, *declared.foreign)
    found = {spelling: renamed.get(form, form) for form in forms for spelling in _in_every_alphabet(SPELLINGS[form])}
    return {**found, **declared.only_here}


# By market: every spelling of a form -> the canonical one.
FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    code: _forms_by_spelling(declared) for code, declared in _DECLARED.items()
}

# Forms that stand in front of a name too (docs/formats/news.md 5), and those that do so only in full. Others in front
# are part of the name: AG Barr, Da Vinci, KB Components.
_IN_FRONT: Final = ("ab", "as", "oy", "oyj")
_IN_FULL: Final = ("handelsbolaget", "kommanditbolaget", "osuuskunta")
# By market: every spelling of such a form -> the canonical one.
FRONT_FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    code: {spelling: form for spelling, form in forms.items() if form in _IN_FRONT or spelling in _IN_FULL}
    for code, forms in FORMS.items()
}

# Words at a name's ends or in brackets that are neither a form nor part of the name.
NOISE: Final = ("publ", "the")
BRACKETED: Final = ("publ", "uk", "plc", "ltd", "limited", "ab", "abp", "oyj", "asa", "as", "inc", "usa", "us")
# Words for «and» in addition to the sign.
AND: Final[Mapping[str, tuple[str, ...]]] = {code: declared.conjunctions for code, declared in _DECLARED.items()}
# English forms used abroad by companies of another language: no evidence of another company.
RENDERINGS: Final = frozenset({"plc", "ltd", "inc", "corp", "co"})
RENDERED_IN: Final = frozenset(code for code, declared in _DECLARED.items() if declared.english_renderings)

# Cores too common to identify a company: they need their whole name or a number (docs/formats/news.md 5).
SHORTEST: Final = 5  # letters and digits
_COMMON: Final = """
    advisors advisory alpha american arctic asset atlantic baltic bank banken banking capital central city
    consulting credit delta digital direct eiendom energy equity europe european express fastigheter finance
    financial finans first fondsforsikring forsikring försäkring fund funding futures general global gold green
    group gruppen holding holdings home horizon industries innovation insurance international invest investering
    investment investments investors kapital kapitalförvaltning koncernen konsern konserni management marine
    market markets media medical national nordic norden nordisk norge northern norwegian oil omega pacific partner
    partners pension petroleum phoenix power premier prime property realty rahasto rahoitus resources royal
    scandi scandinavia scandinavian scandinavien securities services shipping sijoitus smart solar solutions
    spotlight standard star sterling suomi svenska sverige swedish systems technologies technology titan trade
    trading trust united universal value venture ventures vision wealth western world
"""
COMMON: Final = frozenset(_COMMON.split())
