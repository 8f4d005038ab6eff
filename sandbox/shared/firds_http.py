"""Reference data for a sandbox world, without HTTP: FIRDS, issuers of ISINs, parents, symbols.

See docs/formats/news.md 3.

No company of a world is in any of these: the lines are of issuers in no register, so that fetching and reading
are exercised without a result. Files are of the last Saturday and the last day of the requested range, since
callers use their own clock. Does not belong here: routes and HTTP (`http.routes`, `http.server`).
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from datetime import date, timedelta
from typing import Final

from sandbox.shared.files import archive_bytes
from sandbox.shared.response import ZIP, Query, SandboxResponse, compile_routes, json_response
from sandbox.world import World

_LEI: Final = "969500GB00000SANDX64"
_ISINS: Final = ("SE0000108656", "NO0010096985", "FI0009000681", "GB0007980591", "US0378331005")
_PREVIEW_ISINS: Final = {"DK": "DK0060534915"}  # of worlds that have the market
_SPAN: Final = re.compile(r"publication_date:\[[^\]]*?(\d{4}-\d\d-\d\d)[^\]]*? TO (\d{4}-\d\d-\d\d)")
_PARENT: Final = "969500GB00000SANDY61"
_PERIOD: Final = ("startDate", "endDate", "periodType")
_SATURDAY: Final = 5
_STILL: Final = date(1980, 1, 1)  # constant zip timestamp: equal content, equal bytes
_SPACE: Final = "urn:iso:std:iso:20022:tech:xsd"


def _stored_archive(name: str, body: bytes) -> bytes:
    return archive_bytes([(name, body)], _STILL, (0, 0, 0), zipfile.ZIP_STORED)


def _firds_archive(name: str) -> bytes:
    """A FIRDS file: one share on Frankfurt's open market, not requested by its issuer, and one in Warsaw."""
    is_whole = name.startswith("FULINS")
    report, message = ("", "auth.017.001.02") if is_whole else ("Dlta", "auth.036.001.02")
    start, end = ("<RefData>", "</RefData>") if is_whole else ("<FinInstrm><ModfdRcrd>", "</ModfdRcrd></FinInstrm>")
    lines = "".join(
        f"{start}<FinInstrmGnlAttrbts><Id>{isin}</Id><FullNm>Sandbox Metals</FullNm><ShrtNm>SANDBOX/SH</ShrtNm>"
        f"<ClssfctnTp>ESVUFR</ClssfctnTp><NtnlCcy>EUR</NtnlCcy><CmmdtyDerivInd>false</CmmdtyDerivInd>"
        f"</FinInstrmGnlAttrbts><Issr>{_LEI}</Issr><TradgVnRltdAttrbts><Id>{venue}</Id><IssrReq>{asked}</IssrReq>"
        f"<FrstTradDt>2010-01-04T00:00:00Z</FrstTradDt></TradgVnRltdAttrbts>{end}"
        for isin, venue, asked in (("SE0000108656", "FRAB", "false"), ("SE0000108656", "XWAR", "true"))
    )
    body = (
        f'<?xml version="1.0" encoding="UTF-8"?><BizData xmlns="{_SPACE}:head.003.001.01"><Hdr/><Pyld>'
        f'<Document xmlns="{_SPACE}:{message}"><FinInstrmRptgRefData{report}Rpt>{lines}'
        f"</FinInstrmRptgRefData{report}Rpt></Document></Pyld></BizData>"
    )
    return _stored_archive(name.replace(".zip", ".xml"), body.encode())


def _firds_file_names(asked: str) -> list[tuple[str, date]]:
    """The files of a date range: a full one of its last Saturday, a delta of its last day."""
    found = _SPAN.search(asked)
    if found is None:
        return []
    since, until = map(date.fromisoformat, found.groups())
    saturday = until - timedelta(days=(until.weekday() - _SATURDAY) % 7)
    days = [(f"FULINS_E_{saturday:%Y%m%d}_01of01.zip", saturday), (f"DLTINS_{until:%Y%m%d}_01of01.zip", until)]
    return [(name, day) for name, day in days if day >= since]


def esma_file_list(_world: World, _day: int, query: Query) -> SandboxResponse:
    """ESMA's list of files."""
    docs = [
        {
            "checksum": hashlib.md5(_firds_archive(name), usedforsecurity=False).hexdigest(),
            "download_link": f"https://registers.esma.europa.eu/firds/{name}",
            "publication_date": f"{made}T00:00:00Z",
            "file_name": name,
            "file_type": name.split("_")[0],
        }
        for name, made in _firds_file_names(query.get("fq", ""))
    ]
    body = {"response": {"numFound": len(docs), "start": 0, "docs": docs}}
    return json_response(body)


def fca_file_list(_world: World, _day: int, query: Query) -> SandboxResponse:
    """The FCA's list of files."""
    hits = [
        {
            "_source": {
                "file_name": name,
                "file_type": name.split("_")[0],
                "download_link": f"https://api.data.fca.org.uk/firds/{name}",
                "publication_date": made.isoformat(),
            }
        }
        for name, made in _firds_file_names(query.get("q", ""))
    ]
    return json_response({"hits": {"total": len(hits), "hits": hits}})


def firds_file(_world: World, _day: int, _query: Query, name: str) -> SandboxResponse:
    """One file of FIRDS."""
    return SandboxResponse(200, ZIP, _firds_archive(name), is_cacheable=True)


def isin_issuers(world: World, _day: int, _query: Query) -> SandboxResponse:
    """Issuers of ISINs."""
    isins = (*_ISINS, *(isin for market, isin in _PREVIEW_ISINS.items() if market in world.markets))
    text = "LEI,ISIN\n" + "".join(f"{_LEI},{isin}\n" for isin in isins)
    return SandboxResponse(200, ZIP, _stored_archive("isin-lei.csv", text.encode()), is_cacheable=True)


def relationship_records(_world: World, _day: int, _query: Query) -> SandboxResponse:
    """Level 2 of the golden copy: one child and its parent."""
    node = "Relationship.{}Node.NodeID"
    header = (
        *(node.format(end) for end in ("Start", "End")),
        *(f"Relationship.Relationship{part}" for part in ("Type", "Status")),
        *(f"Relationship.Period.{number}.{part}" for number in range(1, 6) for part in _PERIOD),
        *(f"Registration.{part}" for part in ("RegistrationStatus", "LastUpdateDate")),
    )
    row = (_LEI, _PARENT, "IS_DIRECTLY_CONSOLIDATED_BY", "ACTIVE", "2020-01-01", "", "RELATIONSHIP_PERIOD")
    lines = (header, (*row, *[""] * 12, "PUBLISHED", "2026-01-01T00:00:00Z"))
    text = "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)
    return SandboxResponse(200, ZIP, _stored_archive("gleif-goldencopy-rr.csv", text.encode()), is_cacheable=True)


def symbol_listing(world: World, day: int, _query: Query, name: str) -> SandboxResponse:
    """The symbol directory: a test issue and a fund."""
    made = f"File Creation Time: {world.date(day):%m%d%Y}06:00"
    text = {
        "nasdaqlisted": (
            "Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares\r\n"
            "ZVZZT|NASDAQ TEST STOCK|G|Y|N|100|N|N\r\nSNDXX|Sandbox Metals plc - Ordinary Shares|Q|N|N|100|N|N\r\n"
        ),
        "otherlisted": (
            "ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol\r\n"
            "SNDXE|Sandbox ETF|P|SNDXE|Y|100|N|SNDXE\r\n"
            "SNDX.A|Sandbox Metals plc Class A|N|SNDX.A|N|100|N|SNDX.A\r\n"
        ),
    }[name]
    return SandboxResponse(200, "text/plain", f"{text}{made}|||||||\r\n".encode())


ROUTES: Final = compile_routes(
    {
        r"/solr/esma_registers_firds_files/select": esma_file_list,
        r"/fca_data_firds_files": fca_file_list,
        r"/firds/((?:FULINS_E|DLTINS)_\d{8}_01of01\.zip)": firds_file,
        r"/api/v2/isin-lei/latest/download": isin_issuers,
        r"/api/v2/golden-copies/publishes/rr/latest\.csv": relationship_records,
        r"/dynamic/SymDir/(nasdaqlisted|otherlisted)\.txt": symbol_listing,
    }
)
