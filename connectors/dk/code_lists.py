"""Code lists of the market (`codes/*.csv`): municipalities with their regions, statuses, legal forms.

Does not belong here: labels that records carry (industry, legal form), which are used as delivered.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from connectors.kit.code_lists import CodeList, load_code_list


def _also_without_blanks(words: CodeList) -> CodeList:
    """The list with each word in both spellings: the register puts «UNDERKONKURS» together of «UNDER KONKURS»."""
    together = {word: word.replace(" ", "") for word in words.codes}
    columns = {
        name: {**values, **{together[word]: value for word, value in values.items()}}
        for name, values in words.columns.items()
    }
    return replace(words, codes=words.codes.union(together.values()), columns=columns)


MUNICIPALITIES: Final = load_code_list("connectors.dk", "municipalities")
# By the register's word in lower case
STATUSES: Final = _also_without_blanks(load_code_list("connectors.dk", "statuses"))
LEGAL_FORMS: Final = load_code_list("connectors.dk", "legal_forms")
SOLE_TRADERS: Final = ("10",)  # carry their owner's name
