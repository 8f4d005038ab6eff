"""Items of Form 8-K: from codes, from old or new labels, and from the text where a header leaves them blank.

The numbers changed on 23 August 2004 (docs/formats/us.md 9): «Results of Operations and Financial Condition» was 12
and is 2.02. No item announces the filer's end (12.2): phrases do, a certificate of dissolution under items 5.03 or
8.01, and under item 1.03 a plan of liquidation or chapter 7. Phrases alone do not decide: they count as the filer's
own end only if its registration has ended too (`profile.status`).

Does not belong here: headers (`sgml_header`), or what an item means for news (`news_and_notices`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Final

from connectors.kit import code_lists
from connectors.kit.staging import SignalCounter
from connectors.kit.xml.html_text import to_single_line
from connectors.us.filing_headers import schema as f
from connectors.us.submissions.status_evidence import BANKRUPTCY, TOLD

NEW_NUMBERS: Final = date(2004, 8, 23)
ITEMS: Final = code_lists.load_code_list("connectors.us", "form8k_items")
_LABELS: Final = {  # (new numbers, label) -> code
    ("." in code, " ".join(spelling.split()).casefold()): code
    for code in ITEMS.codes
    for spelling in (ITEMS.get(code) or "", *(ITEMS.get(code, "also") or "").split("|"))
    if spelling
}
_CODE: Final = re.compile(r"[0-9]{1,2}(?:\.[0-9]{2})?")
_HEADING: Final = re.compile(
    r"^[ \t\xa0*_]*item\s+([0-9]{1,2}(?:\.[0-9]{2})?)\s*[.:;)-][^\n]*$", re.IGNORECASE | re.MULTILINE
)
_EMPTY: Final = re.compile(r"[\s\W]*(?:none|n/a|not\s+applicable|inapplicable)\b", re.IGNORECASE)
_LONGEST: Final = 200_000  # characters of a document that are searched


def is_current_report(form: str) -> bool:
    """Whether a form is an 8-K or a variant, amendments included."""
    return form.startswith("8-K")


def header_items(
    codes_given: Iterable[str], labels: Iterable[str], filed: date | None, tally: SignalCounter, example: str
) -> list[str]:
    """Items of one 8-K in header order, without duplicates; unknown ones are signalled and left out."""
    found: dict[str, None] = {}
    for code in map(str.strip, codes_given):
        if _CODE.fullmatch(code) and code in ITEMS:
            found[code] = None
        elif code:
            tally.add("unknown_code", f"item {code}", example)
    if found:
        return list(found)
    is_new = filed is None or filed >= NEW_NUMBERS
    for label in labels:
        text = " ".join(label.split())
        code = _LABELS.get((is_new, text.casefold()))
        if code is not None:
            found[code] = None
        elif text:
            tally.add("unknown_code", f"item {text[:80]}", example)
    return list(found)


def items_in_text(text: str, filed: date | None) -> list[str]:
    """Items that head a section of the report itself, except sections stating that there is nothing to report.

    Headers before August 2004 leave items blank, and the form was often filled in with every item it has.
    """
    is_new = filed is None or filed >= NEW_NUMBERS
    plain = re.sub(r"<[^>]{0,400}>", "\n", text[:_LONGEST]).replace("&nbsp;", " ")
    headings = list(_HEADING.finditer(plain))
    ends = [*(heading.start() for heading in headings[1:]), len(plain)]
    found: dict[str, None] = {}
    for heading, end in zip(headings, ends, strict=False):  # without headings there is still one end
        code = heading[1]
        is_told = code in ITEMS and ("." in code) == is_new
        if is_told and not _EMPTY.match(plain, heading.end(), end):
            found[code] = None
    return list(found)


_CERTIFICATE: Final = re.compile(r"\bcertificate of dissolution\b", re.IGNORECASE)
_PLAN: Final = re.compile(
    r"\bplan of (?:complete |orderly )?liquidation\b|\bliquidating plan\b|"
    r"\bpetitions? (?:for relief )?under (?:the provisions of )?chapter 7\b",
    re.IGNORECASE,
)


def ending_kind(text: str, items: list[str]) -> str | None:
    """Dissolution or liquidation; None if the report has other items or neither phrase."""
    if BANKRUPTCY not in items and TOLD.isdisjoint(items):
        return None
    plain = to_single_line(text[:_LONGEST])
    if not TOLD.isdisjoint(items) and _CERTIFICATE.search(plain):
        return f.DISSOLUTION
    return f.LIQUIDATION if BANKRUPTCY in items and _PLAN.search(plain) else None
