"""Words that mark a respondent of a title as a company, not a person (docs/formats/news.md 1.1).

A legal form at the end is certain; a business word at the end is not: some persons have such names, and the
party is matched by its whole name only. Does not belong here: parsing a title (`respondents`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from name_matching.core_name import split_core_and_forms
from name_matching.legal_forms import FORMS


class CompanyMarker(StrEnum):
    """How certain it is that a party is a company."""

    FORM = "form"  # it states a legal form
    WORD = "word"  # it ends in a business word, or contains one that no personal name has
    NONE = "none"


# Business words at the end of a name.
_WORDS: Final = """
    advisers advisors assets associates association bancorp bancshares bank banken brands brokers capital care
    clearing coin communications companies company consulting corporation credit development energy enterprises
    entertainment equities equity exchange factoring finance financial finans fond fonder fondforvaltning
    fondförvaltning fondkommission forsikring forvaltning foundation fund funds fx försäkring förvaltning global
    group gruppen healthcare holding holdings hypotek industries inkasso institute insurance international
    invest investments kapital kapitalförvaltning koncernen kredit kreditt laboratories labs leasing
    livförsäkring livsforsikring lp management markets media meglere mining network networks oil options
    osuuspankki pankki partners partnership pension pensionsförsäkring pensjon pensjonskasse petroleum pharma
    pharmaceuticals plan pool products properties rahastoyhtiö realty research resources revisjon sakförsäkring
    sciences securities services sijoitus skadeforsikring society software solutions sparbank sparbanken
    sparebank sparebanken systems säästöpankki technologies technology therapeutics trading trust union vakuutus
    varainhoito ventures verdipapirfond verdipapirforetak värdepapper wealth works worldwide
"""
_LAST: Final = frozenset(_WORDS.split())
# Business words anywhere in a name.
_ANYWHERE: Final = frozenset({"bank", "banken", "sparebank", "sparbank", "sparebanken", "sparbanken", "bancorp"})
_LEAST: Final = 2  # words: a business word alone is not a name
# Titles after a person's name and comma; they belong to the name before.
PERSONAL: Final = frozenset({"jr", "sr", "ii", "iii", "iv", "esq", "cpa", "ca", "cfa", "md", "phd", "jd", "dds"})


def detect_company_marker(name: str, country: str) -> CompanyMarker:
    """Classifies a name."""
    core, forms = split_core_and_forms(name, country)
    if core and any(form in _FORMS[country] for form in forms.split()):
        return CompanyMarker.FORM
    words = f"{core} {forms}".split() if forms else core.split()
    if len(words) >= _LEAST and (words[-1] in _LAST or not _ANYWHERE.isdisjoint(words)):
        return CompanyMarker.WORD
    return CompanyMarker.NONE


# `trust` may be a name, and two letters an initial: alone they are no reliable form
_UNSURE: Final = frozenset({"trust", "is", "ps", "se", "da", "ba", "sa", "ay", "us", "usa", "uk"})
_FORMS: Final = {country: frozenset(forms.values()) - _UNSURE for country, forms in FORMS.items()}
