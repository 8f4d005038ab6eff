"""Whether a headline is about an individual of a company, and not about the company itself.

«Director of Acme plc», «Acme plc's former chief executive», «revisor for Eksempel AS»: an act against them is
not one against the company named, and their own names are removed with them. Does not belong here: classifying
a respondent without the words around it (`name_matching.company_markers`).
"""

from __future__ import annotations

import re
from typing import Final

from name_matching.company_markers import CompanyMarker, detect_company_marker
from name_matching.legal_forms import FORMS

_ENGLISH: Final = (
    "directors?|officers?|chief executives?|executives?|ceo|cfo|coo|chairman|chairwoman|chair|presidents?|"
    "employees?|staff|traders?|brokers?|advis[eo]rs?|managers?|partners?|founders?|auditors?|owners?|"
    "shareholders?|stockholders?|investors?|subsidiary|subsidiaries|affiliates?|customers?|clients?|victims?"
)
_SWEDISH: Final = (
    "vd|styrelseledamot|styrelseledamöter|styrelseordförande|ordförande|revisor|revisorer|anställd|anställda|"
    "ägare|aktieägare|person|personer|handel|dotterbolag|insynsperson|mäklare|rådgivare"
)
_NORWEGIAN: Final = (
    "styreleder|styremedlem|styremedlemmer|styret|daglig leder|direktør|administrerende direktør|revisor|"
    "revisorer|regnskapsfører|ansatt|ansatte|eier|eiere|aksjonær|aksjonærer|person|personer|handel|"
    "innsidehandel|datterselskap|megler|rådgiver|primærinnsider"
)
_OF: Final = "of|at|for|in|from|with|to|i|hos|ved|av|på|til|för|med"
_ROLE: Final = re.compile(
    rf"(?<![\w&])(?:{_ENGLISH}|{_SWEDISH}|{_NORWEGIAN})(?: [\w-]{{1,30}}){{0,2}} (?:{_OF}) ", re.IGNORECASE
)
_FORMER: Final = re.compile(
    r"(?:^| )(?:former|ex-\w{1,30}|tidigare|förre|förra|tidligere|forhenværende) ", re.IGNORECASE
)
_FORM: Final = "|".join(
    sorted({re.escape(word) for forms in FORMS.values() for word in forms if word.isalpha()}, key=len)
)
_POSSESSIVE: Final = re.compile(rf"(?<!\w)(?:{_FORM})\.?['’]s? ", re.IGNORECASE)
_BETWEEN: Final = re.compile(r" (?:of|at|from|i|hos|ved|på) ")
_PERSON: Final = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,3}")


def is_about_individual(text: str) -> bool:
    """Whether a headline, up to the end of its respondent, names an individual by the company."""
    return any(pattern.search(text) is not None for pattern in (_ROLE, _FORMER, _POSSESSIVE))


def is_person_of_company(name: str, country: str) -> bool:
    """Whether a respondent is a person named with a company: «Ann Example of Acme Ltd»."""
    found = _BETWEEN.search(name)
    if found is None:
        return False
    before, behind = name[: found.start()], name[found.end() :]
    is_person = _PERSON.fullmatch(before) is not None and detect_company_marker(before, country) is CompanyMarker.NONE
    return is_person and detect_company_marker(behind, country) is CompanyMarker.FORM
