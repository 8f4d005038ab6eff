"""Files of FIRDS by hand, after the format page: whole files and changes, in the namespaces of two editions.

See docs/formats/news.md 3.3.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from datetime import date
from typing import Any

from tests.connectors.gleif.gleif_bodies import lei

ISSUER = lei("A")
SHARE = "SE0000108656"


@dataclass(frozen=True)
class Line:
    """One record. `None` leaves the element out."""

    isin: str = SHARE
    mic: str = "XSTO"
    lei: str = ISSUER
    cfi: str | None = "ESVUFR"
    asked: str | None = "true"
    approved: str | None = None
    first: str | None = "2001-01-02T07:00:00Z"
    ends: str | None = "9999-12-31T23:59:59Z"
    name: str = "Exempel & Son AB"
    kind: str = "ModfdRcrd"


def _record(line: Line) -> str:
    def element(name: str, value: str | None) -> str:
        return "" if value is None else f"<{name}>{value.replace('&', '&amp;')}</{name}>"

    return (
        f"<FinInstrmGnlAttrbts>{element('Id', line.isin)}{element('FullNm', line.name)}"
        f"{element('ShrtNm', 'EXEMPEL/SH')}{element('ClssfctnTp', line.cfi)}{element('NtnlCcy', 'SEK')}"
        f"<CmmdtyDerivInd>false</CmmdtyDerivInd></FinInstrmGnlAttrbts>{element('Issr', line.lei)}"
        f"<TradgVnRltdAttrbts>{element('Id', line.mic)}{element('IssrReq', line.asked)}"
        f"{element('AdmssnApprvlDtByIssr', line.approved)}{element('FrstTradDt', line.first)}"
        f"{element('TermntnDt', line.ends)}</TradgVnRltdAttrbts><TechAttrbts>"
        "<RlvntCmptntAuthrty>SE</RlvntCmptntAuthrty><PblctnPrd><FrDt>2026-01-03</FrDt></PblctnPrd>"
        "<RlvntTradgVn>XSTO</RlvntTradgVn></TechAttrbts>"
    )


def _file(report: str, message: str, records: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<BizData xmlns="urn:iso:std:iso:20022:tech:xsd:head.003.001.01"><Hdr></Hdr><Pyld>'
        f'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:{message}"><{report}>'
        "<RptHdr><RptgNtty><NtlCmptntAuthrty>EU</NtlCmptntAuthrty></RptgNtty></RptHdr>"
        f"{records}</{report}></Document></Pyld></BizData>"
    ).encode()


def full(*lines: Line, message: str = "auth.017.001.02") -> bytes:
    records = "".join(f"<RefData>{_record(line)}</RefData>" for line in lines)
    return _file("FinInstrmRptgRefDataRpt", message, records)


def delta(*lines: Line, message: str = "auth.036.001.03") -> bytes:
    records = "".join(f"<FinInstrm><{line.kind}>{_record(line)}</{line.kind}></FinInstrm>" for line in lines)
    return _file("FinInstrmRptgRefDataDltaRpt", message, records)


def packed(body: bytes, name: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name.replace(".zip", ".xml"), body)
    return held.getvalue()


def whole_name(day: date, part: int = 1, of: int = 1) -> str:
    return f"FULINS_E_{day:%Y%m%d}_{part:02}of{of:02}.zip"


def given(**said: Any) -> Line:
    return Line(**said)
