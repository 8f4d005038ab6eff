"""Computes a name's core, without the parts that writers spell differently (docs/formats/news.md 5).

`core_name` compares names without their legal forms, `full_name` with them, each form in one spelling. Nordic
letters are kept in the first key; `folding.fold_nordic_letters` folds them. Does not belong here: how letters
fold (`folding`), which forms there are (`legal_forms`), or how a matching core is scored (`decide`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from name_matching.folding import fold_except_nordic
from name_matching.legal_forms import AND, BRACKETED, COMMON, FORMS, FRONT_FORMS, NOISE, SHORTEST

LONGEST: Final = 300  # characters of a name: a longer text is not a name
_BRACKETED: Final = re.compile(rf"[(\[]\s*({'|'.join(BRACKETED)})\.?\s*[)\]]", re.IGNORECASE)


class NameParts(NamedTuple):
    """A parsed name.

    core: words between the forms, empty if there are none. forms: those removed, each once.
    """

    core: str
    forms: str


def core_name(text: str, country: str) -> str | None:
    """`volvo` for «AB Volvo (publ)»; None if nothing remains.

    country: market code. Raises ValueError for one without a table of legal forms.
    """
    return split_core_and_forms(text, country).core or None


def full_name(text: str, country: str) -> str | None:
    """`volvo | ab` for «AB Volvo (publ)» and «Volvo Aktiebolag»: the core and its forms."""
    core, forms = split_core_and_forms(text, country)
    return f"{core} | {forms}" if core and forms else core or None


def strong_core(text: str, country: str) -> str | None:
    """The core, or None if it is too weak to match alone."""
    core = core_name(text, country)
    return None if core is None or is_weak_core(core) else core


def is_weak_core(core: str) -> bool:
    """True if many companies could have this core: short, or one common word."""
    return core in COMMON or len(core.replace(" ", "")) < SHORTEST


def split_core_and_forms(text: str, country: str) -> NameParts:
    """Parses a name into its core and its forms."""
    forms = _legal_forms(country)
    words, bracketed = _split_words(text)
    if forms.ands:
        words = ["and" if word in forms.ands else word for word in words]
    start, end = 0, len(words)
    head: list[str] = []
    tail: list[str] = []
    while (found := forms.last(words, start, end)) is not None:
        length, spelling = found
        tail.insert(0, spelling)
        end -= length
    while (found := forms.first(words, start, end)) is not None:
        length, spelling = found
        head.append(spelling)
        start += length
    if bracketed:
        head += [forms.spellings.get(one, one) for one in bracketed]
    said = head + tail
    once = said[0] if len(said) == 1 else " ".join(one for one in dict.fromkeys(said) if one)
    return NameParts(" ".join(words[start:end]), once)


def _split_words(text: str) -> tuple[list[str], list[str]]:
    """Folded words; separately those in brackets that are not part of the name."""
    plain = text[:LONGEST].replace("&", " and ").replace("+", " and ")
    bracketed: list[str] = []
    if "(" in plain or "[" in plain:
        bracketed = [word.lower() for word in _BRACKETED.findall(plain)]
        plain = _BRACKETED.sub(" ", plain)
    return fold_except_nordic(plain).split(), bracketed


class _LegalForms:
    """The forms of one country, indexed by their words."""

    def __init__(self, country: str) -> None:
        self.ands = frozenset(AND[country])
        noise = dict.fromkeys(NOISE, "")
        self.spellings = {**FORMS[country], **noise}
        self._in_front = {**FRONT_FORMS[country], **noise}
        self._starts = frozenset(form.split()[0] for form in self._in_front)
        split = [form.split() for form in self.spellings]
        self._ends = frozenset(words[-1] for words in split)
        self._lengths = range(max(map(len, split)), 0, -1)  # longest first

    def last(self, words: list[str], start: int, end: int) -> tuple[int, str] | None:
        """Word count and spelling of the form at the end; None if there is none."""
        if start >= end or words[end - 1] not in self._ends:
            return None
        for length in self._lengths:
            spelling = self.spellings.get(" ".join(words[max(start, end - length) : end]))
            if spelling is not None and length <= end - start:
                return length, spelling
        return None

    def first(self, words: list[str], start: int, end: int) -> tuple[int, str] | None:
        """Word count and spelling of the form at the start; None if there is none."""
        if start >= end or words[start] not in self._starts:
            return None
        for length in self._lengths:
            spelling = self._in_front.get(" ".join(words[start : min(end, start + length)]))
            if spelling is not None and length <= end - start:
                return length, spelling
        return None


@cache
def _legal_forms(country: str) -> _LegalForms:
    if country not in FORMS:
        raise ValueError(f"no legal forms are declared for {country!r}: add them to name_matching.legal_forms")
    return _LegalForms(country)
