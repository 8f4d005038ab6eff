"""Swedish annual reports, from bytes to mapped figures, and weekly zips of them, beside lxml alone.

The documents are the registry's three examples where they lie beside the project, else written here; each under
as many numbers as make a batch. Times are processor seconds of this one thread, ratios medians of alternated
rounds: the peer's time over ours, so more is better. The zip's peer unpacks the same packages before it parses.
"""

from __future__ import annotations

import io
import resource
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from lxml import etree

from connectors.contract.dataset import ArchiveMember, Scope
from connectors.se import SWEDEN
from connectors.se.annual_reports.document import parse_annual_report

REPORTS = SWEDEN.dataset("se.arsredovisningar")
SOURCES = Path(__file__).resolve().parents[2] / "shared" / "sources" / "se" / "arsredovisning_ixbrl"
EXAMPLE, DAY = b"556999-9999", "2025-12-31"
ASKED = 0.45
COPIES = 60


def run(rounds: int = 9) -> list[dict[str, object]]:
    """Two results: documents, and a weekly zip of packages, against a bare parse."""
    bodies = _bodies()
    archive = _weekly(bodies)
    size = sum(map(len, bodies)) / 1e6
    what = f"{len(bodies)} Swedish annual reports, {size:.1f} MB"
    return [
        _result(
            f"{what}, bytes to figures, against lxml.etree.fromstring",
            lambda: _each(bodies, lambda body: parse_annual_report(body, None)),
            lambda: _each(bodies, etree.fromstring),
            rounds,
            f">= {ASKED:g}",
        ),
        _result(
            f"{what}, a weekly zip to staged rows, against unpacking and lxml",
            lambda: _staged(archive),
            lambda: _unpacked(archive),
            rounds,
            "",
        ),
    ]


def _result(
    name: str, ours: Callable[[], object], peer: Callable[[], object], rounds: int, asked: str
) -> dict[str, object]:
    ours()  # both warm
    times = [(_timed(peer), _timed(ours)) for _ in range(rounds)]
    return {
        "name": name,
        "ours_s": round(median(mine for _, mine in times), 4),
        "peer_s": round(median(theirs for theirs, _ in times), 4),
        "ratio": round(median(theirs / mine for theirs, mine in times), 2),
        "asked": asked,
        "unit": "s",
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _timed(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return time.thread_time() - started


def _each(bodies: list[bytes], work: Callable[[bytes], object]) -> None:
    for body in bodies:
        work(body)


def _staged(archive: bytes) -> int:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    name = "arsredovisningar/2026/09_1.zip"
    piece = ArchiveMember(REPORTS.key, name, "0" * 64, at, Scope.PART, "bench", lambda: io.BytesIO(archive))
    found = [batch for part in REPORTS.split_members(piece) for batch in REPORTS.read_batches(part)]
    rows = sum(batch.rows.height for batch in found)
    if rows < COPIES:
        raise RuntimeError(f"{rows} rows of {COPIES} packages")
    return rows


def _unpacked(archive: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(archive)) as outer:
        for name in outer.namelist():
            with zipfile.ZipFile(io.BytesIO(outer.read(name))) as inner:
                for member in inner.namelist():
                    etree.fromstring(inner.read(member))


def _bodies() -> list[bytes]:
    examples = [path.read_bytes() for path in sorted(SOURCES.glob("*.xhtml"))] or [_written()]
    return [examples[place % len(examples)].replace(EXAMPLE, b"556%03d-9999" % place) for place in range(COPIES)]


def _weekly(bodies: list[bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as outer:
        for place, body in enumerate(bodies):
            inner = io.BytesIO()
            with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as package:
                package.writestr(f"{place:08}.xhtml", body)
            outer.writestr(f"556{place:03}9999_{DAY}.zip", inner.getvalue())
    return packed.getvalue()


def _written() -> bytes:
    """A document like a small company's: two years of both statements, and paragraphs in between."""
    flows = ("Nettoomsattning", "Rorelseresultat", "ResultatEfterFinansiellaPoster", "AretsResultat")
    stocks = ("Tillgangar", "EgetKapital", "EgetKapitalSkulder", "Aktiekapital", "ObeskattadeReserver")
    places = [(f"period{year}", name) for year in (0, 1) for name in flows]
    places += [(f"balans{year}", name) for year in (0, 1) for name in stocks]
    facts = "".join(
        f'<tr><td><p><span>{name}</span></p></td><td><ix:nonFraction name="g:{name}" contextRef="{context}"'
        ' unitRef="SEK" decimals="INF" format="ixt:numspacecomma">1 250 000</ix:nonFraction></td></tr>'
        for context, name in places
    )
    contexts = "".join(
        f'<xbrli:context id="{kind}{year}"><xbrli:entity><xbrli:identifier scheme="http://www.bolagsverket.se">'
        f"{EXAMPLE.decode()}</xbrli:identifier></xbrli:entity><xbrli:period>"
        + (
            f"<xbrli:startDate>{2025 - year}-01-01</xbrli:startDate><xbrli:endDate>{2025 - year}-12-31</xbrli:endDate>"
            if kind == "period"
            else f"<xbrli:instant>{2025 - year}-12-31</xbrli:instant>"
        )
        + "</xbrli:period></xbrli:context>"
        for year in (0, 1)
        for kind in ("period", "balans")
    )
    words = {"RakenskapsarForstaDag": "2025-01-01", "RakenskapsarSistaDag": DAY}
    hidden = "".join(
        f'<ix:nonNumeric name="c:{name}" contextRef="period0">{word}</ix:nonNumeric>' for name, word in words.items()
    )
    prose = '<div><p class="b">Upprättad <b>enligt</b> god <i>redovisningssed</i>.</p></div>' * 500
    base = "http://www.taxonomier.se/se/fr"
    return f"""<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"
 xmlns:ix="http://www.xbrl.org/2013/inlineXBRL" xmlns:xbrli="http://www.xbrl.org/2003/instance"
 xmlns:iso4217="http://www.xbrl.org/2003/iso4217" xmlns:g="{base}/gen-base/2021-10-31"
 xmlns:c="{base}/cd-base/2021-10-31" xmlns:ixt="http://www.xbrl.org/inlineXBRL/transformation/2010-04-20"><body>
<ix:header><ix:hidden>{hidden}</ix:hidden><ix:resources>{contexts}<xbrli:unit id="SEK"><xbrli:measure>iso4217:SEK
</xbrli:measure></xbrli:unit></ix:resources></ix:header><table>{facts}</table>{prose}</body></html>""".encode()
