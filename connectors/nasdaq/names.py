"""Normalises issuer names in exchange releases for comparison with names in a company register.

Releases carry no identifier (docs/formats/fi.md 6.1): a company is found by its name alone, exactly, after the
legal forms of public companies are removed from both. Does not belong here: looking the company up
(`Jurisdiction.links`).
"""

from __future__ import annotations

from typing import Final

from name_matching.folding import fold_except_nordic

# of public companies in the languages of the exchanges; private forms are kept, so that two companies stay
# distinct
_PUBLIC: Final = ("oyj", "abp", "plc", "publ", "corporation", "corp", "asa", "hf")


def issuer_key(name: str, *, is_public: bool = True) -> str | None:
    """`nokia` for «Nokia Oyj», «NOKIA ABP» and «Oyj Nokia Abp»; None where nothing is left.

    is_public: whether the company is known to be public; a private legal form is part of the name.
    """
    words = fold_except_nordic(name).split()
    if is_public:
        while words and words[-1] in _PUBLIC:
            words.pop()
        while words and words[0] in _PUBLIC:
            words.pop(0)
    return " ".join(words) or None
