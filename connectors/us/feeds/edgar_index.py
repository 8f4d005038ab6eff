"""Dataset us.index: the EDGAR indexes of filings, by day, quarter, or all (docs/formats/us.md 8).

Belongs here: the declaration, recognising files, and their rows. `master.idx` is separated by bars; `form.idx`
and `company.idx` have fixed-width columns that differ by file and year, so offsets are taken from the header
line. Does not belong here: which indexes are fetched (`edgar_index_fetch`), or fetching the filings they name
(`feeds.pending_filings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.us.feeds import edgar_index_fetch
from connectors.us.feeds import schema as f
from connectors.us.register import FILES_HOST, LICENCE, central_index_keys

CHUNK: Final = 200_000  # rows: a quarter has some three hundred thousand
_LONGEST: Final = 4_096  # characters of a line
_HEADER_LINES: Final = 60
_NAMES: Final = {  # titles without their blanks: a header may break within one
    "cik": "cik",
    "companyname": "company",
    "formtype": "form",
    "datefiled": "filed",
    "filename": "path",
    "url": "path",  # crawler.idx
}
_MOST_PIECES: Final = 4  # lines that a broken header has
_TITLES: Final = re.compile(r"Form Type|Company Name|CIK|Date Filed|File ?[Nn]ame|URL")
_NEEDED: Final = ("cik", "form", "filed", "path")
_COMPRESSED: Final = b"\x1f\x9d"
_RULE: Final = re.compile(r"-{20,}")
_PATH: Final = r"(?:^|/)edgar/data/[0-9]+/(?:[0-9]{18}/)?([0-9]{10}-[0-9]{2}-[0-9]{6})(?:-index\.html?|\.txt)$"


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises the index of a day or quarter, a delta: filings of other days are not absent."""
    if head.startswith(_COMPRESSED):
        return NotApplicable("packed by compress(1): the same index is available as .idx, .gz and .zip")
    head = decompressed_head(head)
    found = detect_body_format(head)
    if found is BodyFormat.HTML:
        return NotApplicable("a page of HTML: a listing of index files, no index")
    if found is BodyFormat.XML and b"AccessDenied" in head:
        return NotApplicable("the response for an index that does not exist: a weekend, a holiday, a future day")
    if found is BodyFormat.JSON:
        return NotApplicable("a listing of index files as JSON, no index")
    if found is BodyFormat.ZIP or found is BodyFormat.TEXT:
        return RecognisedFile(None, Scope.FEED)
    return NotApplicable(f"no index of filings: {found.value} in {name}")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches of `us_index`; the index of a day without filings gives an empty one."""
    with staging.open_plain(member) as body:
        # the SEC's own files; latin-1 decodes any byte, and names are not kept
        lines = (line.decode("latin-1") for line in iter(lambda: body.readline(_LONGEST), b""))
        layout = _read_layout(member, lines)
        batches = 0
        while block := _next_lines(lines):
            yield _index_batch(layout, block)
            batches += 1
    if not batches:
        yield staging.make_batch(f.INDEX, [])


class _IndexLayout:
    """Field positions in a line: between bars, or at the offsets of the header line's titles."""

    def __init__(self, header: str) -> None:
        self.is_barred = "|" in header
        if self.is_barred:
            titles = ["".join(title.split()).casefold() for title in header.split("|")]
            self.places = {_NAMES[title]: place for place, title in enumerate(titles) if title in _NAMES}
            self._width = len(titles)
            self.starts: list[tuple[str, int]] = []
            return
        found = [(_NAMES["".join(match[0].split()).casefold()], match.start()) for match in _TITLES.finditer(header)]
        self.starts = found
        self.places = {name: place for place, (name, _) in enumerate(found)}

    @property
    def missing(self) -> list[str]:
        return [name for name in _NEEDED if name not in self.places]

    def _field_position(self, name: str) -> int:
        """Index of a field; a name may contain bars, so fields after it are counted from the end."""
        place = self.places[name]
        return place - self._width if place > self.places.get("company", self._width) else place

    def fields(self, line: pl.Expr) -> dict[str, pl.Expr]:
        """The needed fields of a line as expressions."""
        if self.is_barred:
            parts = line.str.split("|")
            return {name: parts.list.get(self._field_position(name), null_on_oob=True) for name in _NEEDED}
        ends = [start for _, start in self.starts[1:]]
        cut: dict[str, pl.Expr] = {}
        for (name, start), end in zip(self.starts, [*ends, None], strict=True):
            length = None if end is None else end - start
            cut[name] = line.str.slice(start, length).str.strip_chars()
        return {name: cut[name] for name in _NEEDED}


def _read_layout(piece: ArchiveMember, lines: Iterator[str]) -> _IndexLayout:
    """Reads up to the line of dashes under the header, or to a header between bars that lacks this line.

    A header may have broken over several lines, as mailed or edited copies have it.
    """
    seen: list[str] = []
    for number, line in enumerate(lines, start=1):
        is_rule = _RULE.match(line) is not None
        if line.strip() and not is_rule:
            seen.append(line.rstrip("\r\n").removeprefix("\xef\xbb\xbf"))
        for pieces in range(1, min(len(seen), _MOST_PIECES) + 1):
            layout = _joined_layout(seen[-pieces:])
            if (is_rule or layout.is_barred) and not layout.missing:
                return layout
        if is_rule:
            reason = f"no column for {', '.join(_joined_layout(seen[-1:]).missing)} in the header"
            raise piece.unreadable_error(f"{reason} {''.join(seen[-1:]).strip()[:120]!r}")
        if number > _HEADER_LINES:
            break
    raise piece.unreadable_error("no header with a line of dashes under it: no index of filings")


def _joined_layout(pieces: list[str]) -> _IndexLayout:
    """The layout of a header in one or several pieces."""
    gap = "" if any("|" in piece for piece in pieces) else " "
    first, *others = pieces or [""]
    return _IndexLayout(gap.join([first, *(piece.lstrip() for piece in others)]))


def _next_lines(lines: Iterator[str]) -> list[str]:
    block: list[str] = []
    for line in lines:
        if line.strip() and not _RULE.match(line):
            block.append(line.rstrip("\r\n"))
        if len(block) >= CHUNK:
            break
    return block


def _index_batch(layout: _IndexLayout, block: list[str]) -> Batch:
    """One chunk: dates with and without dashes, accession numbers from the path."""
    line = pl.Series("line", block, dtype=pl.String).to_frame()
    fields = line.select("line", **layout.fields(pl.col("line")))
    plain = pl.col("filed").str.strip_chars().str.replace_all("-", "", literal=True)
    rows = fields.select(
        "line",
        pl.col("path").str.strip_chars().str.extract(_PATH).alias(f.ACCESSION),
        central_index_keys(pl.col("cik")).alias(f.CIK),
        pl.col("form").str.strip_chars().replace("", None).alias(f.FORM),
        plain.str.to_date("%Y%m%d", strict=False).alias(f.FILED),
    )
    complete = pl.all_horizontal(pl.col(f.INDEX.names).is_not_null())
    refused = rows.filter(~complete)["line"].to_list()
    rejects = staging.reject_rows(("", "no CIK, form, date or accession number", text) for text in refused)
    kept = rows.filter(complete).select(f.INDEX.names)
    return staging.make_batch(f.INDEX, kept.unique(f.INDEX.key, keep="last", maintain_order=True), rejects)


DATASET: Final = Dataset(
    key=f.INDEX_KEY,
    title="EDGAR: indexes of filings",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * 2-6", stale_after_hours=24 * 6),  # after 22:00 Eastern of business days
    guard_limits=GuardLimits(max_rejected=0.01),
    host=FILES_HOST,
    staged_tables={f.INDEX.name: f.INDEX},
    file_patterns=("index/**", "daily-index/**", "full-index/**"),
    recognise_file=recognise_file,
    split_members=staging.split_archive,
    read_batches=read_batches,
    fetch=edgar_index_fetch.fetch,
)
