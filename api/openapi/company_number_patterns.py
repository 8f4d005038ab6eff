"""Patterns for all accepted spellings of a company number.

See docs/contract/contract.md «Company identifiers». A request that matches one is never malformed. Does not
belong here: parsing a number (`warehouse.schema.identifiers`).
"""

from typing import Final

_SE: Final = "[1-9][0-9]{5}-?[0-9]{4}"
_NO: Final = "0?[0-9]{9}"
_FI: Final = "[0-9]{7}-?[0-9]"
_UK: Final = (
    "[A-TV-Za-tv-z][A-Za-z][0-9A-Za-z]{%s}|[Uu][A-RT-Za-rt-z][0-9A-Za-z]{%s}|[A-Za-z][0-9]{7}|[0-9]{%s}"
)
_SHORT_UK: Final = _UK % ("1,6", "1,6", "1,8")
_US: Final = "([Uu][Ss]-?|[Cc][Ii][Kk])[0-9]{1,10}"
_IDS: Final = (
    f"firm:(SE:{_SE}|NO:{_NO}|FI:{_FI}|(UK|GB):({_SHORT_UK})|US:({_US}|[0-9]{{1,10}})|DK:[0-9]{{8}})"
)

ANY_NUMBER: Final = f"^({_SE}|{_NO}|[0-9]{{7}}-[0-9]|{_UK % (6, 6, 8)}|{_US}|{_IDS})$"
"""A number that identifies its market by its form, or a full id."""

NUMBER_IN_MARKET: Final = f"^({_SE}|{_FI}|{_SHORT_UK}|{_US}|[0-9]{{1,10}}|{_IDS})$"
"""Accepted if the path contains the market."""
