"""Legal forms and other words of a name that do not distinguish companies, by country (docs/formats/news.md 5).

Belongs here: the declared tables alone, with words as in `core_name`: lower case, without punctuation, `A/S` as
`as`. Each form has one canonical spelling (`incorporated` is `inc`), and different forms mean different
companies. Does not belong here: how a form is written (`warehouse.legal_forms`), how a name is parsed
(`core_name`), or which words mark a company in a title (`company_markers`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from warehouse.legal_forms import SAME, SPELLINGS

# Forms that are listed or registered in every country.
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
# Forms that are another form's name in a market, and forms of one market alone.
_CALLED: Final[Mapping[str, Mapping[str, str]]] = {"FI": {"ab": "oy"}}
_BESIDES: Final[Mapping[str, Mapping[str, str]]] = {"US": {"trust": "trust"}}


def _forms_by_spelling(market: str) -> Mapping[str, str]:
    called = {**SAME, **_CALLED.get(market, {})}
    forms = {spelling: called.get(form, form) for form in _OF_MARKET[market] for spelling in SPELLINGS[form]}
    return forms | _BESIDES.get(market, {})


# By market: every spelling of a form -> the canonical one.
FORMS: Final[Mapping[str, Mapping[str, str]]] = {market: _forms_by_spelling(market) for market in _OF_MARKET}

# Words at a name's ends or in brackets that are neither a form nor part of the name.
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
# Words for «and» in addition to the sign.
AND: Final[Mapping[str, tuple[str, ...]]] = {
    "SE": ("och",),
    "NO": ("og",),
    "FI": ("ja", "och"),
    "DK": ("og",),
    "UK": (),
    "US": (),
}
# English forms used abroad by companies of another language: no evidence of another company.
RENDERINGS: Final = frozenset({"plc", "ltd", "inc", "corp", "co"})
RENDERED_IN: Final = frozenset({"SE", "NO", "FI", "DK"})

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
