"""When two values of a profile's field are the same fact: what company.changed takes for no change.

See docs/contract/contract.md 4.6. The rules, each of which needs both values to be known:

- Texts are equal if they have the same letters and digits, whatever their case, accents, punctuation and blanks.
- An industry code is compared with one of the same version of its list. Between versions nothing tells a recoding from
  another industry. A legal form is the same if its label is, whatever the code.
- An address is the same if its street is, and its post code or its places: postal services renumber and rename.
- A municipality or county that belongs to an address changes with it, never without: without, its list was redrawn. One
  that a register states by itself (a seat) changes by itself.

Does not belong here: whose word a value is, and whether it may be announced (`profile`).
"""

from __future__ import annotations

from typing import Final

from name_matching.folding import fold_text, spelling_key
from pipelines.transforms.differences import Row
from warehouse.schema.codes import ERASED

_ADDRESS: Final = {
    "lines": "address_lines",
    "postal_code": "postal_code",
    "post_town": "post_town",
    "country": "address_country",
}
Address = dict[str, str | list[str] | None]


def is_same_text(one: str, other: str) -> bool:
    """True if two texts differ in case, accents, punctuation and blanks alone."""
    letters, others = (fold_text(text).replace(" ", "") for text in (one, other))
    return letters == others if letters and others else spelling_key(one) == spelling_key(other)


def has_other_text(before: Row, after: Row, column: str) -> bool:
    """True if a text is known before and after, and is another."""
    one, other = before[column], after[column]
    return one is not None and other is not None and not is_same_text(one, other)


def has_other_name(before: Row, after: Row) -> bool:
    """True for another name. The number in place of a withheld name is none, nor is the mark of an erased one."""
    withheld = (before["org_number"], ERASED)
    return before["name"] not in withheld and after["name"] not in withheld and has_other_text(before, after, "name")


def has_other_industry(before: Row, after: Row) -> bool:
    """True for another code of the same version of the list."""
    scheme = after["industry_scheme"]
    return scheme is not None and before["industry_scheme"] == scheme and has_other_text(before, after, "industry_code")


def has_other_legal_form(before: Row, after: Row) -> bool:
    """True for another code with another label; a code without a label may be another spelling of the former one."""
    return has_other_text(before, after, "legal_form_code") and has_other_text(before, after, "legal_form_label")


def has_other_address(before: Row, after: Row) -> bool:
    """True for another country or street, or for another post code and place where the street does not tell."""
    if has_other_text(before, after, "address_country") or _has_other_street(before, after):
        return True
    places = [column for column in ("post_town", "municipality") if _is_known(before, after, column)]
    is_elsewhere = any(has_other_text(before, after, column) for column in places)
    if not _is_known(before, after, "postal_code"):
        return has_other_text(before, after, "post_town")
    return has_other_text(before, after, "postal_code") and (is_elsewhere or not places)


def _is_known(before: Row, after: Row, column: str) -> bool:
    return before[column] is not None and after[column] is not None


def _has_other_street(before: Row, after: Row) -> bool:
    one, other = (" ".join(row["address_lines"] or ()) for row in (before, after))
    return bool(one) and bool(other) and not is_same_text(one, other)


def has_other_municipality(before: Row, after: Row) -> bool:
    """True for another municipality, of a company that moved (module docstring)."""
    if has_other_text(before, after, "municipality"):
        return True
    # Håbo and Habo are two municipalities
    names = [spelling_key(row["municipality"] or "") for row in (before, after)]
    codes = [row["municipality_code"] for row in (before, after)]
    return all(names) and all(codes) and names[0] != names[1] and codes[0] != codes[1]


def has_other_county(before: Row, after: Row) -> bool:
    """True for another county, of a company that moved. Where municipalities have codes, it changes with them alone."""
    has_codes = any(row["municipality_code"] is not None for row in (before, after))
    return has_other_text(before, after, "county") and (not has_codes or has_other_municipality(before, after))


def address_of(row: Row) -> Address:
    """The address as company.changed states it."""
    values: Address = {key: row[column] for key, column in _ADDRESS.items()}
    values["lines"] = values["lines"] or []
    return values
