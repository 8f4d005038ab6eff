"""Form 25-NSE: an exchange removes one class of securities from listing (docs/formats/us.md 9).

Most concern notes, warrants, units or preferred stock, while the company's shares keep trading: see
`is_share_class`. The issuer's own Form 25 is usually prose; only its header shows that it exists. Does not belong
here: whether a company has left its exchange (`profile.status`).
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any, Final

from lxml import etree

from connectors.kit.staging import SignalCounter
from connectors.kit.xml.parse import MalformedMarkupError, local_name, parse_markup
from connectors.us.filing_headers import schema as f
from connectors.us.filing_headers.sgml_header import parse_day
from connectors.us.register import central_index_key

ROOT: Final = b"<notificationOfRemoval"
_OPEN: Final = b"<XML>"
_CLOSE: Final = b"</XML>"
_DELAY: Final = timedelta(days=10)  # 17 CFR 240.12d2-2(d)
_RULE: Final = re.compile(r"12d2-2\s*(\(a\)\([1-4]\)|\([bc]\))")
# how descriptions of a company's own shares begin
_SHARE: Final = re.compile(
    r"(?:the\s+)?(?:class\s+[a-z]\b|series\s+[a-z]\s+(?=common|ordinary)|(?:non-)?voting\b|"
    r"common\s+(?:stock|shares?|units?)|ordinary\s+shares?|registered\s+(?:ordinary\s+)?shares?|"
    r"capital\s+stock|shares\s+of\s+(?:beneficial\s+interest|common\s+stock)|common\b|"
    r"(?:subordinate|limited|multiple)\s+voting\b|(?:sponsored\s+)?american\s+deposit[ao]ry\s+(?:shares?|receipts?)|ad[sr]s?\b)",
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    r"\b(?:warrants?|rights?|notes?|preferred|preference|units?|debentures?|bonds?)\b", re.IGNORECASE
)
_PURCHASE: Final = re.compile(r"\s+(?:purchase\s+)?(?:rights?|warrants?|options?)\b", re.IGNORECASE)
_NOUN: Final = re.compile(r"\b(?:shares?|stock|interests?)\b", re.IGNORECASE)
_CLASS: Final = re.compile(
    r"(?:the\s+)?(?:class\s+[a-z]\b|(?:(?:subordinate|limited|multiple)\s+|non-)?voting\b)", re.IGNORECASE
)


def is_share_class(description: str | None) -> bool | None:
    """Whether a class is the company's own shares, by the start of its description. Null without a description.

    «Class A» and «Voting» alone are not enough: the words after it decide («Class A Warrants» are not shares).
    """
    text = " ".join((description or "").split()).lstrip("\"'“‘(")
    if not text:
        return None
    found = _SHARE.match(text)
    if found is None or _PURCHASE.match(text, found.end()):
        return False
    named = _CLASS.match(text)
    if named is None:
        return True
    noun = _NOUN.search(text, named.end())  # «Class A ordinary shares included as part of the units» are shares
    of = text[named.end() : noun.start() if noun else len(text)]
    return _NOT.search(of) is None and (noun is None or _PURCHASE.match(text, noun.end()) is None)


def notification_xml(body: bytes) -> bytes | None:
    """The XML of a notification, standalone or inside a full submission; None where there is none."""
    root = body.find(ROOT)
    if root < 0 or b"<DOCUMENT>" not in body:
        return None if root < 0 else body
    start, end = body.rfind(_OPEN, 0, root), body.find(_CLOSE, root)
    return None if start < 0 or end < 0 else body[start + len(_OPEN) : end].strip()


def removal_row(
    xml: bytes, accession: str, filed: date | None, tally: SignalCounter
) -> tuple[dict[str, Any] | None, str | None]:
    """The `us_form25` row, or the reason why there is none."""
    try:
        found = parse_markup(xml)
    except MalformedMarkupError as error:
        return None, f"expected a notification of removal: {error}"
    texts = _texts_by_path(found.roots[0])
    if found.is_repaired:
        tally.add("repaired_markup", "notificationOfRemoval", accession)
    cik = central_index_key(texts.get("issuer/cik"))
    if cik is None:
        return None, f"no CIK of the issuer: {texts.get('issuer/cik')!r}"
    security = texts.get("descriptionClassSecurity")
    provision = texts.get("ruleProvision") or ""
    rule = _RULE.search(provision)
    if rule is None:
        tally.add("unknown_code", f"ruleProvision {provision[:60]}", accession)
    if security is None:
        tally.add("missing_value", "descriptionClassSecurity", accession)
    signed = (texts.get("signatureData/signatureDate") or "")[:10]
    known = filed or parse_day(signed)
    if known is None:
        tally.add("unreadable_value" if signed else "missing_value", f"signatureDate {signed}".strip(), accession)
    return {
        f.ACCESSION: accession,
        f.CIK: cik,
        "exchange_cik": central_index_key(texts.get("exchange/cik")),
        "exchange": texts.get("exchange/entityName"),
        f.FILE_NUMBER: texts.get("issuer/fileNumber"),
        f.SECURITY: security,
        f.IS_SHARE: is_share_class(security),
        f.RULE: None if rule is None else rule[1],
        f.FILED: known,
        f.EFFECTIVE: None if known is None else known + _DELAY,
    }, None


def _texts_by_path(root: etree._Element) -> dict[str, str]:
    """Texts by path below the root, without namespaces; the first of duplicates. Depth is limited to the form's."""
    texts: dict[str, str] = {}
    for part in root:
        name = local_name(part)
        for inner in (part, *part):
            path = name if inner is part else f"{name}/{local_name(inner)}"
            text = " ".join((inner.text or "").split()) if isinstance(inner.tag, str) else ""
            if text:
                texts.setdefault(path, text)
    return texts
