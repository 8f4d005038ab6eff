"""Names of issuers, comparable with names in Enhetsregisteret (docs/formats/no.md 13.3).

NewsWeb and Euronext know no organisation numbers: a name leads to a company where exactly one answers. First the
whole name is compared, then the name without its legal form, which exchanges leave out («DNB BANK»). Only forms
that list shares answer. Does not belong here: who is linked to whom (`Jurisdiction.links`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

import polars as pl

from connectors.declare import Key
from connectors.no.enheter_fields import FORM, NAME

LISTED_FORMS: Final = ("ASA", "AS", "SPA")  # savings banks have equity certificates
_FORMS: Final = frozenset(
    {"asa", "as", "ltd", "limited", "plc", "inc", "ab", "publ", "se", "nv", "hf", "spa"}
)
_SIGNS: Final = re.compile(r"[^\w]+")
_JOINED: Final = re.compile(r"\b([a-z]) (?=[a-z]\b)")


def whole(name: str) -> str:
    """A name without case, accents and signs: «A/S Eksempel» and «AS EKSEMPEL» are one."""
    text = name.casefold().replace("ø", "o").replace("æ", "ae").replace("å", "aa")
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return _JOINED.sub(r"\1", _SIGNS.sub(" ", plain).strip())


def core(name: str) -> str:
    """The same without legal forms at its ends; a name of nothing but forms keeps them."""
    words = whole(name).split()
    kept = list(words)
    while kept and kept[-1] in _FORMS:
        kept.pop()
    while kept and kept[0] in _FORMS:
        kept.pop(0)
    return " ".join(kept or words)


def issuer_key(column: str, make: Callable[[str], str]) -> Key:
    """The name in a column of issuers, as `whole` or `core` has it."""
    return Key(f"{column.lower()}_{make.__name__}", lambda rows: _of(rows[column], make))


def entity_key(make: Callable[[str], str]) -> Key:
    """The name of an entity whose form lists shares."""
    return Key(f"{NAME}_{make.__name__}", lambda rows: _of(_listable(rows), make))


def _listable(rows: pl.DataFrame) -> pl.Series:
    return rows.select(pl.when(pl.col(FORM).is_in(LISTED_FORMS)).then(pl.col(NAME))).to_series()


def _of(names: pl.Series, make: Callable[[str], str]) -> pl.Series:
    return pl.Series([make(name) if name else None for name in names], dtype=pl.String)
