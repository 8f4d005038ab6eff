"""UK accounts, iXBRL and XBRL, from bytes to mapped figures, beside lxml alone and beside stream-read-xbrl.

The documents are the genuine ones where they lie beside the project, else written here in the same format.
Ours and the peer alternate, round by round, over the same bytes held in memory; ratios are medians of rounds.
Times are processor seconds of this one thread: both sides only compute, and other processes do not count.
"""

from __future__ import annotations

import importlib
import io
import resource
import sys
import time
import types
import zipfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from lxml import etree

from connectors.contract.dataset import ArchiveMember, Scope
from connectors.uk.accounts import dataset as accounts_dataset
from connectors.uk.accounts.document import parse_accounts_document

SOURCES = Path(__file__).resolve().parents[2] / "shared" / "sources" / "uk"
FOLDERS = ("accounts_ixbrl", "accounts_ixbrl_full", "accounts_xbrl_xml")
ASKED_OF_LXML = 0.45
ASKED_OF_PEER = 4.0
WRITTEN = 120  # documents where there are no genuine ones
DAILY = "Accounts_Bulk_Data-2025-05-03.zip"
AT = datetime(2025, 5, 3, tzinfo=UTC)

Bodies = Mapping[str, bytes]


class Beside(NamedTuple):
    """What is done with the same bytes by somebody else, and how many times faster ours shall be."""

    name: str
    work: Callable[[Bodies], None]
    asked: float | None


def run(rounds: int = 7) -> list[dict[str, object]]:
    """Beside a bare parse (speed relative to it), stream-read-xbrl (times faster), unpacking and parsing a zip."""
    bodies = _bodies()
    what = f"{len(bodies)} UK accounts, {sum(map(len, bodies.values())) / 1e6:.1f} MB"
    bare = Beside("lxml.etree.fromstring", _bare, ASKED_OF_LXML)
    results = [_result(f"{what}, bytes to figures", _ours, bare, bodies, rounds)]
    module = _stream_read_xbrl()
    if module is not None:
        both = {name: body for name, body in bodies.items() if _reads(module, name, body)}
        theirs = _over(lambda name, body: module._xbrl_to_rows((name, body)))  # noqa: SLF001 - its one file door
        peer = Beside("stream-read-xbrl", theirs, ASKED_OF_PEER)
        results.append(_result(f"{len(both)} of them that it reads", _ours, peer, both, rounds))
    archive = {DAILY: _zipped(bodies)}
    unpacking = Beside("unpacking and lxml", _unpacked, None)
    name = f"{what}, a daily zip to staged rows"
    return [*results, _result(name, _staged, unpacking, archive, rounds)]


def _result(name: str, mine: Callable[[Bodies], None], peer: Beside, bodies: Bodies, rounds: int) -> dict[str, object]:
    """Alternated rounds; `ratio` is the peer's time over ours, so more is better."""
    ours, theirs = [], []
    mine(bodies)  # both warm
    for _ in range(rounds):
        theirs.append(_timed(peer.work, bodies))
        ours.append(_timed(mine, bodies))
    ratio = round(median(other / one for one, other in zip(ours, theirs, strict=True)), 2)
    return {
        "name": name,
        "against": peer.name,
        "ours_s": round(median(ours), 4),
        "peer_s": round(median(theirs), 4),
        "ratio": ratio,
        "asked": "" if peer.asked is None else f">= {peer.asked:g}",
        "met": None if peer.asked is None else ratio >= peer.asked,
        "unit": "s",
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _timed(call: Callable[[Bodies], None], bodies: Bodies) -> float:
    started = time.process_time()
    call(bodies)
    return time.process_time() - started


def _over(read: Callable[[str, bytes], object]) -> Callable[[Bodies], None]:
    def every(bodies: Bodies) -> None:
        for name, body in bodies.items():
            read(name, body)

    return every


_ours = _over(parse_accounts_document)
_bare = _over(lambda _, body: etree.fromstring(body))


def _zipped(bodies: Bodies) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in bodies.items():
            archive.writestr(name, body)
    return target.getvalue()


def _staged(archives: Bodies) -> None:
    for name, body in archives.items():
        piece = ArchiveMember(accounts_dataset.KEY, name, "0" * 64, AT, Scope.PART, "bench", partial(io.BytesIO, body))
        for part in accounts_dataset.split_members(piece):
            for _ in accounts_dataset.read_batches(part):
                pass


def _unpacked(archives: Bodies) -> None:
    for body in archives.values():
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for name in archive.namelist():
                etree.fromstring(archive.read(name))


def _bodies() -> dict[str, bytes]:
    paths = [path for folder in FOLDERS if SOURCES.is_dir() for path in sorted((SOURCES / folder).glob("Prod*"))]
    if paths:
        return {path.name: path.read_bytes() for path in paths}
    return {f"Prod223_0001_{n:08}_20171231.html": _written(n) for n in range(1, WRITTEN + 1)}


def _stream_read_xbrl() -> types.ModuleType | None:
    """The peer; it imports an AWS client for its types alone, for which an empty module stands in."""
    stand_in = types.ModuleType("mypy_boto3_s3")
    stand_in.S3Client = object  # type: ignore[attr-defined]
    sys.modules.setdefault("mypy_boto3_s3", stand_in)
    try:
        return importlib.import_module("stream_read_xbrl")
    except ImportError:
        return None


def _reads(peer: types.ModuleType, name: str, body: bytes) -> bool:
    rows = peer._xbrl_to_rows((name, body))  # noqa: SLF001
    return bool(rows) and rows[0][peer._COLUMNS.index("error")] is None  # noqa: SLF001


def _written(number: int) -> bytes:
    """A document like a small company's: two years of a balance sheet, and paragraphs in between."""
    concepts = ("FixedAssets", "CurrentAssets", "TotalAssetsLessCurrentLiabilities", "NetAssetsLiabilities", "Equity")
    facts = "".join(
        f'<tr><td><p class="a"><span>{concept}</span></p></td><td><ix:nonFraction name="core:{concept}"'
        f' contextRef="{context}" unitRef="GBP" decimals="0" format="ixt:numdotdecimal">{1000 + number:,}'
        "</ix:nonFraction></td></tr>"
        for concept in concepts
        for context in ("e1", "e0")
    )
    prose = '<div><p class="b">Prepared <b>under</b> the <i>usual</i> convention.</p></div>' * 400
    contexts = "".join(
        f'<xbrli:context id="e{n}"><xbrli:entity><xbrli:identifier scheme="http://www.companieshouse.gov.uk/">'
        f"{number:08}</xbrli:identifier></xbrli:entity><xbrli:period><xbrli:instant>{2016 + n}-12-31"
        "</xbrli:instant></xbrli:period></xbrli:context>"
        f'<xbrli:context id="y{n}"><xbrli:entity><xbrli:identifier scheme="http://www.companieshouse.gov.uk/">'
        f"{number:08}</xbrli:identifier></xbrli:entity><xbrli:period><xbrli:startDate>{2016 + n}-01-01"
        f"</xbrli:startDate><xbrli:endDate>{2016 + n}-12-31</xbrli:endDate></xbrli:period></xbrli:context>"
        for n in (0, 1)
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"
 xmlns:ix="http://www.xbrl.org/2013/inlineXBRL" xmlns:xbrli="http://www.xbrl.org/2003/instance"
 xmlns:iso4217="http://www.xbrl.org/2003/iso4217" xmlns:core="http://xbrl.frc.org.uk/fr/2019-01-01/core"
 xmlns:ixt="http://www.xbrl.org/inlineXBRL/transformation/2011-07-31"><body><ix:header><ix:resources>{contexts}
<xbrli:unit id="GBP"><xbrli:measure>iso4217:GBP</xbrli:measure></xbrli:unit></ix:resources></ix:header>
<table>{facts}</table>{prose}</body></html>""".encode()
