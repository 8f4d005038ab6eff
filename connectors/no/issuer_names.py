"""Normalises issuer names for comparison with names in Enhetsregisteret (docs/formats/no.md 13.3).

NewsWeb and Euronext have no organisation numbers: a name links to a company if exactly one matches. First the
whole name is compared, then the name without its legal form, which exchanges leave out («DNB BANK»). Only legal
forms that list shares can match. Does not belong here: which tables are linked (`Jurisdiction.links`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey
from connectors.no.enheter.schema import FORM, NAME

LISTED_FORMS: Final = ("ASA", "AS", "SPA")  # savings banks have equity certificates
_FORMS: Final = frozenset(
    {"asa", "as", "ltd", "limited", "plc", "inc", "ab", "publ", "se", "nv", "hf", "spa"}
)
_SIGNS: Final = re.compile(r"[^\w]+")
_JOINED: Final = re.compile(r"\b([a-z]) (?=[a-z]\b)")


def fold_name(name: str) -> str:
    """Folds case, accents and punctuation of a name: «A/S Eksempel» equals «AS EKSEMPEL»."""
    text = name.casefold().replace("ø", "o").replace("æ", "ae").replace("å", "aa")
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return _JOINED.sub(r"\1", _SIGNS.sub(" ", plain).strip())


def strip_legal_form(name: str) -> str:
    """The folded name without legal forms at its ends; a name of legal forms only keeps them."""
    words = fold_name(name).split()
    kept = list(words)
    while kept and kept[-1] in _FORMS:
        kept.pop()
    while kept and kept[0] in _FORMS:
        kept.pop(0)
    return " ".join(kept or words)


def issuer_key(column: str, make: Callable[[str], str]) -> ComputedKey:
    """Link key of an issuer column, folded by `fold_name` or `strip_legal_form`."""
    return ComputedKey(f"{column.lower()}_{make.__name__}", lambda rows: _convert_names(rows[column], make))


def entity_key(make: Callable[[str], str]) -> ComputedKey:
    """Link key of entity names, limited to legal forms that list shares."""
    return ComputedKey(f"{NAME}_{make.__name__}", lambda rows: _convert_names(_listable_names(rows), make))


def _listable_names(rows: pl.DataFrame) -> pl.Series:
    return rows.select(pl.when(pl.col(FORM).is_in(LISTED_FORMS)).then(pl.col(NAME))).to_series()


def _convert_names(names: pl.Series, make: Callable[[str], str]) -> pl.Series:
    return pl.Series([make(name) if name else None for name in names], dtype=pl.String)
