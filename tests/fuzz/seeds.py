"""What cases are made from: bodies of the sandbox, as files and as its servers answer, and genuine files where they are.

Bodies are handed out small: a case is judged in milliseconds or nothing is learned. Genuine files are read where they
lie and go no further than the temporary folder of a run. Does not belong here: changing them (`mutating`).
"""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import polars as pl
from lxml import etree

import connectors
from connectors import GROUPS
from connectors.contract.dataset import ArchiveMember, Dataset, Scope, UnreadableFileError
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format
from connectors.kit.http.errors import FetchError
from firm.demo.sandbox_origin import sandbox_source
from pipelines.settings import IngestSettings
from pipelines.sources.folder import list_day_folders, plan_files
from sandbox import World, serve, sufficient_companies, write_days
from tests.fuzz import packs
from tests.fuzz.case import Case
from tests.fuzz.invented import INVENTED
from tests.fuzz.judging import OBSERVED
from tests.fuzz.lent import LENT

GENUINE: Final = Path(__file__).resolve().parents[3] / "shared" / "sources"
SEED: Final = 7  # of the world
DAYS: Final = 2
LARGEST: Final = 48 << 10  # bytes of a seed; what is larger is cut between its records
MOST: Final = 24  # seeds of one dataset
_ANSWERS: Final = 8  # bodies of a live fetch
_SUBJECTS: Final = 12  # that are asked for one by one
_RECORDS: Final = 6  # that are left of a large body
_UNPACKED: Final = 8 << 20

_MARKETS: Final = tuple(f"{country.code.lower()}." for country in connectors.JURISDICTIONS)
Seeds = dict[str, list[Case]]
PLAIN: Final = (
    Case("x.json", b'{"a": [1, "x", null, {"b": "2026-01-01"}]}'),
    Case("x.json", b'[{"name": "Exempel AB", "number": 5560000001}, {"name": "Other"}]\n'),
    Case("x.csv", b'a,b,c,d,e\n1,"x, y",3,,5\n2,"say ""hi""",3,4,5\n'),
    Case("x.xml", b'<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><item><title>Exempel AB</title>'
         b"<link>http://example.org/1</link><pubDate>Mon, 02 Nov 2026 08:00:00 GMT</pubDate></item></channel></rss>"),
    Case("x.html", b"<!DOCTYPE html><html><body><h1>x</h1><table><tr><td>1</td><td>2 %</td></tr></table></body></html>"),
    Case("x.txt", b"1,234.5\n30 September 2017\n(1 000)\ntwo hundred and ten\n31.12.2026\n-\n"),
    Case("x.zip", packs.packed([("a.csv", b"a,b\n1,2\n"), ("b.json", b"{}")])),
)  # fmt: skip


def gathered(tell: Any = print) -> Seeds:
    """Seeds by target, of the sandbox and of genuine files; a target that has none gets the plain ones."""
    found: defaultdict[str, dict[str, Case]] = defaultdict(dict)
    with tempfile.TemporaryDirectory(prefix="fuzz-world-") as folder:
        world = World(seed=SEED, companies=sufficient_companies(DAYS), days=DAYS)
        for day in write_days(world, Path(folder) / "days", with_truth=False):
            _add(found, _of_folder(day))
        _add(found, _answered(world, Path(folder) / "live"))
    if GENUINE.is_dir():
        _add(found, _of_folder(GENUINE))
    _lend(found)
    tell(f"seeds of {len(found)} datasets, genuine files {'are' if GENUINE.is_dir() else 'are not'} there")
    return {key: list(cases.values())[:MOST] for key, cases in found.items()}


def of(key: str, seeds: Seeds) -> list[Case]:
    """Seeds of a target; one that is no dataset is shown the first of every dataset."""
    if key in seeds:
        return seeds[key]
    return [*PLAIN, *(cases[0] for cases in seeds.values() if not key.startswith(_MARKETS))]


def _lend(found: defaultdict[str, dict[str, Case]]) -> None:
    """A dataset that nobody writes or has files of takes those of its like: same tables, or same source elsewhere."""
    datasets = {made.key: made for country in connectors.JURISDICTIONS for made in country.datasets}
    for key in datasets.keys() - found.keys():
        for other in sorted(found.keys() & datasets.keys()):
            is_source = other.partition(".")[2] == key.partition(".")[2]
            if is_source or datasets[other].staged_tables.keys() & datasets[key].staged_tables.keys():
                found[key] |= found[other]
    for key in INVENTED.keys() | LENT.keys():
        written = (*INVENTED.get(key, ()), *LENT.get(key, ()))  # first, whatever else there is
        found[key] = {f"{case.name} {place}": case for place, case in enumerate(written)} | found[key]


def _add(found: defaultdict[str, dict[str, Case]], cases: Iterable[tuple[str, Case]]) -> None:
    """The first of each shape and size go in; one that differs from another in little teaches little."""
    for key, case in cases:
        small = smaller(case)
        shape = hashlib.sha256(
            f"{small.name.partition('/')[0]}{len(small.body).bit_length()}{small.body[:40]!r}".encode()
        )
        if small.body and len(small.body) <= LARGEST:
            found[key].setdefault(shape.hexdigest(), small)


def _of_folder(directory: Path) -> Iterator[tuple[str, Case]]:
    """Files that a day's folder has of every dataset, by the rules of taking in."""
    (day,) = list_day_folders(directory)
    for country in connectors.JURISDICTIONS:
        for entry in plan_files(day, country, OBSERVED, GROUPS).entries:
            if entry.dataset is not None and entry.path.stat().st_size < _UNPACKED:
                yield entry.dataset, Case(entry.name.partition("/")[2], entry.path.read_bytes())


def _answered(world: World, folder: Path) -> Iterator[tuple[str, Case]]:
    """What the registries of the sandbox answer, asked as a live run asks."""
    settings = IngestSettings.read({"FIRM_DATA": str(folder)})
    with serve(world) as registry, sandbox_source(registry.url, settings) as origin:
        for country in connectors.JURISDICTIONS:
            frames: dict[str, pl.DataFrame] = {}
            for dataset in country.datasets:
                wanted = list(islice(dataset.subjects_to_fetch(frames), _SUBJECTS)) if dataset.subjects_to_fetch else []
                for case in _bodies(origin.http, dataset, wanted):
                    yield dataset.key, case
                    _read(dataset, case, frames)


def _bodies(http: Any, dataset: Dataset, wanted: list[str]) -> Iterator[Case]:
    if dataset.fetch is None:
        return
    try:
        for arrival in islice(dataset.fetch(http, None, wanted), _ANSWERS):
            yield Case(arrival.name, arrival.body.read(_UNPACKED))
    except FetchError:
        return  # the sandbox does not play this one


def _read(dataset: Dataset, case: Case, frames: dict[str, pl.DataFrame]) -> None:
    """Rows of an answer, beside those that are there: they say whom to ask about next."""
    body = case.body if dataset.redact is None else dataset.redact(io.BytesIO(case.body)).read()
    piece = ArchiveMember(dataset.key, case.name, "0" * 64, OBSERVED, Scope.PART, "batch", partial(io.BytesIO, body))
    with suppress(UnreadableFileError):
        for batch in chain.from_iterable(map(dataset.read_batches, dataset.split_members(piece))):
            before = frames.get(batch.table, batch.rows.clear())
            frames[batch.table] = before.vstack(batch.rows)


def smaller(case: Case) -> Case:
    """A large body with its first records alone."""
    if len(case.body) <= LARGEST:
        return case
    found = detect_body_format(case.body[:HEAD])
    if found is BodyFormat.JSON:
        return Case(case.name, _smaller_json(case.body))
    if found is BodyFormat.TEXT:
        return Case(case.name, b"".join(case.body.splitlines(keepends=True)[: 2 * _RECORDS]))
    if found in (BodyFormat.XML, BodyFormat.HTML):
        return Case(case.name, _smaller_xml(case.body))
    if found is BodyFormat.ZIP:
        return Case(case.name, _smaller_zip(case.body))
    return case


def _smaller_zip(body: bytes) -> bytes:
    """The first members, each smaller; the first alone where these are too much."""
    files = [(name, smaller(Case(name, inner)).body) for name, inner in packs.unpacked(body)[:_RECORDS]]
    small = packs.packed(files)
    return small if len(small) <= LARGEST else packs.packed(files[:1])


def _smaller_json(body: bytes) -> bytes:
    try:
        return json.dumps(_shortened(json.loads(body)), ensure_ascii=False).encode()
    except ValueError:
        return b"".join(body.splitlines(keepends=True)[:_RECORDS])


def _shortened(value: Any) -> Any:
    """Lists with their first elements."""
    if isinstance(value, dict):
        return {key: _shortened(one) for key, one in value.items()}
    return [_shortened(one) for one in value[:_RECORDS]] if isinstance(value, list) else value


def _smaller_xml(body: bytes) -> bytes:
    """The root with its first elements; where that is still much, every element with its first."""
    try:
        root = etree.fromstring(body)
    except (etree.XMLSyntaxError, ValueError):
        return body
    for element in list(root)[_RECORDS:]:
        root.remove(element)
    if len(etree.tostring(root)) > LARGEST:
        for element in list(root.iter(etree.Element)):
            for child in list(element)[_RECORDS:]:
                element.remove(child)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")
