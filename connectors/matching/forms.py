"""Legal forms and other words around a name that do not tell companies apart, by country (FORMAT news 5).

Belongs here: the declared tables alone, as `names` has the words: lower case, without signs, `A/S` as `as`. One
spelling stands for all of a form (`incorporated` is `inc`), and two forms for two companies. Does not belong here:
how a name is cut (`names`), or which words mark a company in a title (`marks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Forms of the whole world that are listed or registered everywhere.
_ANYWHERE: Final = {
    "public limited company": "plc",
    "p l c": "plc",
    "plc": "plc",
    "limited": "ltd",
    "ltd": "ltd",
    "incorporated": "inc",
    "inc": "inc",
    "corporation": "corp",
    "corp": "corp",
    "l l c": "llc",
    "llc": "llc",
    "l l p": "llp",
    "llp": "llp",
    "s a": "sa",
    "sa": "sa",
    "n v": "nv",
    "nv": "nv",
    "b v": "bv",
    "bv": "bv",
    "se": "se",
    "spa": "spa",
    "aktiengesellschaft": "ag",
    "ag": "ag",
    "gmbh": "gmbh",
}

# By market: every spelling of a form -> the one that stands for it.
FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    "SE": {
        **_ANYWHERE,
        "aktiebolaget": "ab",
        "aktiebolag": "ab",
        "ab": "ab",
        "handelsbolaget": "hb",
        "handelsbolag": "hb",
        "hb": "hb",
        "kommanditbolaget": "kb",
        "kommanditbolag": "kb",
        "kb": "kb",
        "ekonomisk förening": "ekför",
        "ek för": "ekför",
        "ekonomisk forening": "ekför",
    },
    "NO": {
        **_ANYWHERE,
        "allmennaksjeselskap": "asa",
        "asa": "asa",
        "aksjeselskap": "as",
        "a s": "as",
        "as": "as",
        "ans": "ans",
        "da": "da",
        "ba": "ba",
        "nuf": "nuf",
        "iks": "iks",
        "sf": "sf",
        "ks": "ks",
        "hf": "hf",
        "ab": "ab",
        "oyj": "oyj",
    },
    "FI": {
        **_ANYWHERE,
        "julkinen osakeyhtiö": "oyj",
        "oyj abp": "oyj",
        "abp oyj": "oyj",
        "oyj": "oyj",
        "abp": "oyj",
        "osakeyhtiö": "oy",
        "oy ab": "oy",
        "ab oy": "oy",
        "oy": "oy",
        "ab": "oy",
        "kommandiittiyhtiö": "ky",
        "ky": "ky",
        "avoin yhtiö": "ay",
        "ay": "ay",
        "osuuskunta": "osk",
        "osk": "osk",
    },
    "DK": {
        **_ANYWHERE,
        "aktieselskab": "as",
        "aktieselskabet": "as",
        "a s": "as",
        "as": "as",
        "anpartsselskab": "aps",
        "aps": "aps",
        "ivs": "ivs",
        "is": "is",
        "ks": "ks",
        "ps": "ps",
        "amba": "amba",
        "fmba": "fmba",
    },
    "UK": {
        **_ANYWHERE,
        "public ltd company": "plc",
        "limited liability partnership": "llp",
        "l p": "lp",
        "lp": "lp",
        "community interest company": "cic",
        "cic": "cic",
        "cyfyngedig": "ltd",
        "cyf": "ltd",
        "ccc": "plc",
        "na": "na",
    },
    "US": {
        **_ANYWHERE,
        "and company": "co",
        "and co": "co",
        "company": "co",
        "co": "co",
        "limited liability company": "llc",
        "limited partnership": "lp",
        "l p": "lp",
        "lp": "lp",
        "pllc": "pllc",
        "lllp": "lllp",
        "professional association": "pa",
        "p a": "pa",
        "pa": "pa",
        "professional corporation": "pc",
        "p c": "pc",
        "pc": "pc",
        "national association": "na",
        "n a": "na",
        "na": "na",
        "trust": "trust",
    },
}

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

# Cores that many companies could mean: they need their whole name or a number (FORMAT news 5).
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
