"""Spellings of companies' legal forms, shared by all name comparisons (docs/formats/news.md 5).

Belongs here: the spellings of each form in lower case, without dots and slashes (`A/S` is `as`, or `a s` where
they left gaps), with the letters of their language. Does not belong here: which forms occur in a market
(`connectors.name_matching.legal_forms`), or where in a name a form is (`connectors.name_matching.core_name`,
`pipelines.transforms.holders.name_features`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {
    # Sweden
    "ab": ("aktiebolaget", "aktiebolag", "ab"),
    "hb": ("handelsbolaget", "handelsbolag", "hb"),
    "kb": ("kommanditbolaget", "kommanditbolag", "kb"),
    "ekför": ("ekonomisk förening", "ekonomisk forening", "ek för"),
    # Norway and Denmark
    "asa": ("allmennaksjeselskap", "asa"),
    "as": ("aksjeselskap", "aktieselskabet", "aktieselskab", "a s", "as"),
    "ans": ("ans",),
    "da": ("da",),
    "ba": ("ba",),
    "nuf": ("nuf",),
    "iks": ("iks",),
    "sf": ("sf",),
    "ks": ("kommandittselskap", "kommanditselskab", "ks"),
    "hf": ("hf",),
    "aps": ("anpartsselskab", "aps"),
    "ivs": ("ivs",),
    "is": ("interessentskab", "is"),
    "ps": ("ps",),
    "amba": ("amba",),
    "fmba": ("fmba",),
    # Finland, in both its languages
    "oyj": ("julkinen osakeyhtiö", "publikt aktiebolag", "oyj abp", "abp oyj", "oyj", "abp"),
    "oy": ("osakeyhtiö", "oy ab", "ab oy", "oy"),
    "ky": ("kommandiittiyhtiö", "ky"),
    "ay": ("avoin yhtiö", "ay"),
    "osk": ("osuuskunta", "osk"),
    # United Kingdom, in both its languages
    "plc": ("public limited company", "public ltd company", "p l c", "plc"),
    "ccc": ("ccc",),
    "ltd": ("limited", "ltd"),
    "cyf": ("cyfyngedig", "cyf"),
    "llp": ("limited liability partnership", "l l p", "llp"),
    "lp": ("limited partnership", "l p", "lp"),
    "cic": ("community interest company", "cic"),
    # United States
    "inc": ("incorporated", "inc"),
    "corp": ("corporation", "corp"),
    "co": ("and company", "and co", "company", "co"),
    "llc": ("limited liability company", "l l c", "llc"),
    "pllc": ("pllc",),
    "lllp": ("lllp",),
    "pa": ("professional association", "p a", "pa"),
    "pc": ("professional corporation", "p c", "pc"),
    "na": ("national association", "n a", "na"),
    # Others
    "sa": ("societe anonyme", "s a", "sa"),
    "sarl": ("sarl", "sa rl"),
    "spa": ("spa",),
    "nv": ("n v", "nv"),
    "bv": ("b v", "bv"),
    "gmbh": ("gmbh",),
    "ag": ("aktiengesellschaft", "ag"),
    "se": ("se",),
}
# Pairs of forms that are one form in two languages of a country.
SAME: Final[Mapping[str, str]] = {"ccc": "plc", "cyf": "ltd"}
