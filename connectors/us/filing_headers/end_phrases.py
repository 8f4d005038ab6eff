"""Finds phrases in current reports that announce the filer's end (docs/formats/us.md 12.2); no 8-K item does.

Searched are a certificate of dissolution under items 5.03 or 8.01, and under item 1.03 a plan of liquidation or
chapter 7. Phrases alone do not decide: they count as the filer's own end only if its registration has ended too
(`profile.status`).
"""

from __future__ import annotations

import re
from typing import Final

from connectors.kit.xml.html_text import to_single_line
from connectors.us.filing_headers import schema as f
from connectors.us.submissions.status_evidence import BANKRUPTCY, TOLD

_LONGEST: Final = 200_000  # characters of a document that are searched
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
