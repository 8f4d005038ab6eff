"""Legal forms and other words around a name that do not tell companies apart, by country (docs/formats/news.md 5).

Belongs here: the declared tables alone, as `names` has the words: lower case, without signs, `A/S` as `as`. One
spelling stands for all of a form (`incorporated` is `inc`), and two forms for two companies. Does not belong here:
how a form is written (`warehouse.legal_forms`), how a name is cut (`names`), or which words mark a company in a
title (`marks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from warehouse.legal_forms import SAME, SPELLINGS

# Forms of the whole world that are listed or registered everywhere.
_ANYWHERE: Final = ("plc", "ltd", "inc", "corp", "llc", "llp", "sa", "nv", "bv", "se", "spa", "ag", "gmbh")
_NORWAY: Final = ("asa", "as", "ans", "da", "ba", "nuf", "iks", "sf", "ks", "hf", "ab", "oyj")
_OF_MARKET: Final[Mapping[str, tuple[str, ...]]] = {
    "SE": (*_ANYWHERE, "ab", "hb", "kb", "ekför"),
    "NO": (*_ANYWHERE, *_NORWAY),
    "FI": (*_ANYWHERE, "oyj", "oy", "ab", "ky", "ay", "osk"),
    "DK": (*_ANYWHERE, "as", "aps", "ivs", "is", "ks", "ps", "amba", "fmba"),
    "UK": (*_ANYWHERE, "ccc", "cyf", "lp", "cic", "na"),
    "US": (*_ANYWHERE, "co", "lp", "pllc", "lllp", "pa", "pc", "na"),
}
# What is another form's name in a market, and a form in one market alone.
_CALLED: Final[Mapping[str, Mapping[str, str]]] = {"FI": {"ab": "oy"}}
_BESIDES: Final[Mapping[str, Mapping[str, str]]] = {"US": {"trust": "trust"}}


def _spelled(market: str) -> Mapping[str, str]:
    called = {**SAME, **_CALLED.get(market, {})}
    forms = {spelling: called.get(form, form) for form in _OF_MARKET[market] for spelling in SPELLINGS[form]}
    return forms | _BESIDES.get(market, {})


# By market: every spelling of a form -> the one that stands for it.
FORMS: Final[Mapping[str, Mapping[str, str]]] = {market: _spelled(market) for market in _OF_MARKET}

# What a name may have at its ends or in brackets without being another name; of no form.
NOISE: Final = ("publ", "the")
BRACKETED: Final = (
    "publ",
    "uk",
    "plc",
    "ltd",
    "limited",
    "ab",
    "abp",
    "oyj",
    "asa",
    "as",
    "inc",
    "usa",
    "us",
)
# Words for «and» besides the sign.
AND: Final[Mapping[str, tuple[str, ...]]] = {
    "SE": ("och",),
    "NO": ("og",),
    "FI": ("ja", "och"),
    "DK": ("og",),
    "UK": (),
    "US": (),
}
# How a company of another language writes its own form abroad: no sign that it is another company.
RENDERINGS: Final = frozenset({"plc", "ltd", "inc", "corp", "co"})
RENDERED_IN: Final = frozenset({"SE", "NO", "FI", "DK"})

# Cores that many companies could mean: they need their whole name or a number (docs/formats/news.md 5).
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
