"""Detects law firm releases that look for plaintiffs: the company they name neither wrote nor did anything.

Belongs here: detection by title and publisher (docs/formats/news.md 5, «false positives»). Does not belong
here: an announcement of a company about a suit of its own.
"""

from __future__ import annotations

import re
from typing import Final

_TITLE: Final = re.compile(
    r"\b(?:share|stock|unit)?(?:holder|owner)s? (?:alert|investigation|action alert)\b"
    r"|\binvestors?(?: class action)? (?:alert|deadline)\b"
    r"|\bclass action (?:alert|notice|deadline|reminder|filed|investigation)\b|\blead plaintiff\b"
    r"|\b(?:opportunity|chance) to lead\b.{0,120}\b(?:class actions?|lawsuits?|suits?|litigation)\b"
    r"|\blawsuit (?:alert|for investors)\b"
    r"|\b(?:reminds|encourages|urges|notifies|alerts)\b.{0,80}\b(?:investor|shareholder|stockholder)s\b.{0,120}"
    r"\b(?:class actions?|lawsuits?|investigations?|loss(?:es)?|their (?:legal )?rights|the firm|legal counsel)\b"
    r"|\b(?:investor|shareholder|stockholder)s?\b.{0,60}"
    r"\b(?:losses|lost money|who lost|contact the (?:law )?firm)\b"
    r"|\b(?:law firm|law offices|attorneys? at law|trial attorneys|national trial lawyers)\b"
    r"|\b(?:deadline alert|investigation alert|fraud alert|fraud investigation)\b"
    r"|\binvestigated\b.{0,40}\bon behalf of\b.{0,40}\b(?:investor|shareholder|stockholder)s\b"
    r"|\b(?:lost|lose) money (?:on|in)\b.{0,80}\b(?:class action|lawsuit|recover\w*)\b",
    re.IGNORECASE,
)
_FIRMS: Final = re.compile(
    r"\b(?:rosen law|levi & korsinsky|pomerantz|robbins geller|robbins llp|bragar eagel|glancy prongay|faruqi|"
    r"kessler topaz|bronstein,? gewirtz|hagens berman|schall law|kahn swick|gross law|portnoy law|holzer|"
    r"berger montague|bernstein liebhard|johnson fistel|halper sadeh|ademi|monteverde|scott\+scott|labaton|"
    r"block & leviton|kirby mcinerney|wolf haldenstein|howard g\. smith|frank r\. cruz|djs law)\b",
    re.IGNORECASE,
)
_SUIT: Final = re.compile(
    r"\bclass action lawsuit\b|\bsecurities (?:fraud )?(?:class action|lawsuit|suit|litigation)\b", re.IGNORECASE
)
# How a suit ended, which the company or its court tells; claims administrators announce what is only proposed.
_OUTCOME: Final = re.compile(
    r"\b(?:settles|settled|dismiss(?:es|ed|al)|prevails)\b"
    r"|\b(?:announces|reaches)\b(?!.{0,60}\bproposed\b).{0,60}\bsettlement\b",
    re.IGNORECASE,
)
# A law firm as publisher, by its name: partnerships are not listed. «Law Debenture» is.
_PRACTICE: Final = re.compile(
    r"\b(?:law (?:firm|offices?|group|llc|pllc|p\.?c\.?)|attorneys|lawyers)\b"
    r"|\b(?:l\.?l\.?p|pllc)\.?$",
    re.IGNORECASE,
)
_REACH: Final = 500  # characters of a title


def is_law_firm_alert(title: str, publisher: str | None = None) -> bool:
    """True if a release is a law firm's call to investors."""
    text, by = title[:_REACH], (publisher or "")[:_REACH].strip()
    told = _TITLE.search(text) or _FIRMS.search(text) or _FIRMS.search(by) or _PRACTICE.search(by)
    return told is not None or (_SUIT.search(text) is not None and _OUTCOME.search(text) is None)
