"""Form 15: registration of some share classes ends, or the duty to report for them (docs/formats/us.md 9).

Prose in a printed frame: the classes it covers are above «(Title of each class of securities covered by this
Form)», those that remain above «(Titles of all other classes …)». No sample is at hand: what does not match is
null and signalled. Does not belong here: whether a company stopped reporting (`profile.status`).
"""

from __future__ import annotations

import re
from typing import Any, Final

from connectors.kit.staging import SignalCounter
from connectors.kit.xml.html_text import to_single_line
from connectors.us.filing_headers import schema as f
from connectors.us.filing_headers.form25 import is_share_class

FORMS: Final = frozenset({"15-12B", "15-12G", "15-15D", "15F-12B", "15F-12G", "15F-15D"})
_COVERED: Final = re.compile(
    r"\(\s*titles?\s+of\s+each\s+class\s+of\s+securities\s+covered\s+by\s+this\s+form\s*\)", re.IGNORECASE
)
# the text between the words is bounded: an open bracket must not be followed to the end of the text
_BETWEEN: Final = r"[^()]{0,300}(?:\([^()]{0,80}\)[^()]{0,300}){0,6}"
_OTHERS: Final = re.compile(
    r"\(\s*titles?\s+of\s+all\s+other\s+classes\s+of\s+securities\b" + _BETWEEN + r"\)", re.IGNORECASE
)
_OFFICES: Final = re.compile(
    r"\(\s*address" + _BETWEEN + r"principal\s+executive\s+offices[^()]{0,300}\)", re.IGNORECASE
)
_NONE: Final = re.compile(r"\W*(?:none|n/?a|not\s+applicable)\b", re.IGNORECASE)
_SHARE: Final = re.compile(
    r"\b(?:common|ordinary|american\s+depositary|class\s+[a-z])\s+(?:stock|shares?)\b"
    r"(?!\s+(?:purchase\s+)?(?:rights?|warrants?|options?)\b)",
    re.IGNORECASE,
)
# «Warrants, each exercisable for one share of Common Stock»: the shares of a right are not among the classes
_RIGHT: Final = re.compile(
    r"\b(?:warrants?|rights?|options?|units?|notes?|debentures?|bonds?)\b(?:\s*,\s*each\b)?"
    r"(?:(?!\b(?:common|ordinary)\b)[^;,]){0,200}?"
    r"\b(?:purchase|acquire|subscribe|exercisable|convertible|exchangeable|consisting|comprised)\b[^;,]{0,300}",
    re.IGNORECASE,
)
_LONGEST: Final = 200_000  # characters of a document that are searched
_LONGEST_TITLE: Final = 2_000


def form15_row(text: str, accession: str, cik: str, form: str, filed: Any, tally: SignalCounter) -> dict[str, Any]:
    """The `us_form15` row of one filer, with the classes as far as the text gives them."""
    plain = to_single_line(text[:_LONGEST])
    covered, others = _COVERED.search(plain), _OTHERS.search(plain)
    security = remaining = None
    if covered is None:
        tally.add("classes_not_read", form, accession)
    else:
        security = _text_above_caption(plain[: covered.start()])
        remaining = _clean_title(plain[covered.end() : others.start()]) if others else None
    says_none = remaining is not None and _NONE.match(remaining) is not None
    return {
        f.ACCESSION: accession,
        f.CIK: cik,
        f.FORM: form,
        f.FILED: filed,
        f.SECURITY: security,
        f.IS_SHARE: None if security is None else _has_shares(security),
        f.REMAINING: None if says_none else remaining,
        "is_last": None if remaining is None else says_none,
    }


def _has_shares(security: str) -> bool:
    """Whether shares of the company itself are among the classes."""
    return bool(is_share_class(security)) or _SHARE.search(_RIGHT.sub(" ", security)) is not None


def _text_above_caption(text: str) -> str | None:
    """The last lines before a caption, after the caption preceding it."""
    offices = [found.end() for found in _OFFICES.finditer(text)]
    behind = text[offices[-1] if offices else text.rfind(")") + 1 :]
    return _clean_title(behind)


def _clean_title(text: str) -> str | None:
    words = " ".join(re.sub(r"[-_=*]{3,}", " ", text).split())
    return words[:_LONGEST_TITLE] or None
