"""Searching: pages while companies come and go, hostile texts, foreign keys, the time limit, the table searched."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tables import check_cases
from tests.warehouse import search_world as world
from tests.warehouse.helpers import ROOT, release_documents, segment_file
from tests.warehouse.world import learn, member, publish
from warehouse.publish.release_tables import open_release_tables
from warehouse.reader.queries.duckdb_scans import OF_COMPANIES, DuckdbScans, QueryDeadline
from warehouse.reader.queries.filters import LONGEST_NAME
from warehouse.reader.reader import (
    CompanyQuery,
    EventQuery,
    FinancialsQuery,
    InvalidPageKeyError,
    PinnedRelease,
    QueryTimeoutError,
    ReleaseReader,
)
from warehouse.reader.types import Key, ResultPage
from warehouse.release import manifest as release_manifest
from warehouse.release.segments import ROWS
from warehouse.serving import search_table, sort_keys
from warehouse.storage.duckdb import open_database
from warehouse.storage.layout import Layout

SORTS = ("relevance", "id", "name", "-latest_revenue", "-registered_date")
STATUSES = world.STATUSES


def _names(snapshot: PinnedRelease, query: CompanyQuery, *limits: int) -> list[str]:
    found: list[str] = []
    after: Key | None = None
    while True:
        page = snapshot.search_companies(query, after, limits[0] if limits else 100)
        found += [json.loads(row)["name"] for row in page.rows]
        if not page.has_more:
            return found
        after = page.keys[-1]


def _both_ways(query: CompanyQuery) -> tuple[CompanyQuery, CompanyQuery]:
    """By the name index, and by a scan."""
    return query, world.scanned(query)


def _serve(layout: Layout, *names: str, **given: Any) -> ReleaseReader:
    learn(layout, "NO", 0, companies=[member("NO", n, name=name, **given) for n, name in enumerate(names)])
    publish(layout, "NO")
    return ReleaseReader(layout)


def test_better_answers_come_first(layout: Layout) -> None:
    best_first = ("Norsk Bygg", "Norsk Bygg Øst AS", "Bygg Norsk", "Norsk Byggeri", "Byggeri for norske")
    reader = _serve(layout, *reversed(best_first), "Norsk Byg", "Norge Bygg")
    with reader.pin_release() as snapshot:
        for query in _both_ways(CompanyQuery(q="NORSK bygg")):
            assert _names(snapshot, query) == list(best_first)
    reader.close()


def test_companies_whose_value_is_unknown_come_after_all_others_on_whatever_page(layout: Layout) -> None:
    days = {"Eldst AS": dt.date(1990, 1, 1), "Ukjent A": None, "Yngst AS": dt.date(2020, 1, 1), "Ukjent B": None}
    firms = [member("NO", n, name=name, registered_date=day) for n, (name, day) in enumerate(days.items())]
    learn(layout, "NO", 0, companies=firms)
    publish(layout, "NO")
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        for limit in (1, 2, 3, 4):
            found = _names(snapshot, CompanyQuery(sort="-registered_date"), limit)
            assert found == ["Yngst AS", "Eldst AS", "Ukjent A", "Ukjent B"], limit
    reader.close()


def test_slips_only_where_nothing_else_is_found(layout: Layout) -> None:
    reader = _serve(layout, "Fjordkraft AS", "Fjordkarft Salg", "Abc Kraft", "Tnt AS", "Fjordkraften Norsk")
    asked = {
        "fjordkraft": ["Fjordkraft AS", "Fjordkraften Norsk"],
        "fjordkraftt": ["Fjordkraft AS"],
        "fjrdkraft as": ["Fjordkraft AS"],
        "fjorkdraft": ["Fjordkraft AS"],
        "fjordkarftt": ["Fjordkarft Salg"],
        "xjordkrafx": [],
        "tnnt": [],  # words of three letters are not guessed at
        "tmt": [],
        "abx kraft": [],
        "abc kraff": ["Abc Kraft"],
    }
    with reader.pin_release() as snapshot:
        for text, due in asked.items():
            for query in _both_ways(CompanyQuery(q=text)):
                for sort in (None, "name"):
                    found = _names(snapshot, CompanyQuery(q=text, statuses=query.statuses, sort=sort), 1)
                    assert sorted(found) == sorted(due), text
    reader.close()


HOSTILE = [
    '"',
    "'; DROP TABLE labels; --",
    "a\x00b",
    "\x00",
    "as OR 1",
    "folded : as",
    "as*",
    "^as",
    "NEAR(as ab)",
    "(((",
    "-as",
    "{country}: NO",
    "%_%",
    "$v0",
    "🙂",
    "as 🙂",
    "...!?",
    "   ",
    "x" * 5000,
    " ".join(f"w{n}" for n in range(200)),
    "as " * 200,
    "株式会社",
    "\u0301\u0308",
    "\U00010570a\U00010571",  # letters younger than some tables of letters
    "a\u00adb",
    "\u202eas",
    "ﬁrma ™ №",
]


@check_cases("text", HOSTILE)
def test_any_text_is_an_answer(shared: ReleaseReader, text: str) -> None:
    with shared.pin_release() as snapshot:
        for query in _both_ways(CompanyQuery(q=text)):
            for sort in (None, "name"):
                asked = CompanyQuery(q=text, statuses=query.statuses, sort=sort)
                assert isinstance(snapshot.search_companies(asked, None, 5), ResultPage)
        assert isinstance(snapshot.search_companies(CompanyQuery(region=text), None, 5), ResultPage)


def test_region_finds_a_place_by_its_names_in_every_language(layout: Layout) -> None:
    finnish = [
        member("FI", 1, municipality="Mariehamn", municipality_code="478", county="Åland", county_code="21"),
        member("FI", 2, municipality="Helsinki", municipality_code="091", county="Uusimaa", county_code="01"),
        member("FI", 4, municipality="Utsjoki", municipality_code="890", county="Lappi", county_code="19"),
        member("FI", 5, municipality="Närpiö", municipality_code="545", county="Pohjanmaa", county_code="15"),
    ]
    norwegian = [member("NO", 3, municipality="Kárášjohka - Karasjok", county="FINNMARK/FINNMÁRKU")]
    learn(layout, "FI", 0, companies=finnish)
    learn(layout, "NO", 0, companies=norwegian)
    publish(layout, "FI", "NO")
    places = {
        "firm:FI:900000001": ("Mariehamn", "maarianhamina", "Åland", "Ahvenanmaa", "478", "FI-21"),
        "firm:FI:900000002": ("Helsinki", "HELSINGFORS", "Uusimaa", "Nyland"),
        "firm:FI:900000004": ("Utsjoki", "Ohcejohka", "Lappland"),
        "firm:FI:900000005": ("NÄRPES", "narpio", "Österbotten"),
        "firm:NO:900000003": ("Karasjok", "Kárášjohka", "Kárášjohka - Karasjok", "Finnmark"),
    }
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        for company, names in places.items():
            for name in names:
                rows = snapshot.search_companies(CompanyQuery(region=name), None, 5).rows
                assert [json.loads(row)["id"] for row in rows] == [company], name
    reader.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    layout = Layout(tmp_path_factory.mktemp("shared"))
    reader = _serve(layout, "As as", "Ab", "\U00010570a\U00010571 株式会社", "🙂", "A.b. Firma Tm No")
    yield reader
    reader.close()


def test_a_name_of_no_words_is_listed_and_not_found(shared: ReleaseReader) -> None:
    with shared.pin_release() as snapshot:
        assert "🙂" in _names(snapshot, CompanyQuery())
        assert "🙂" in _names(snapshot, CompanyQuery(sort="name"), 1)
        assert _names(snapshot, CompanyQuery(q="🙂")) == []


WRONG: list[Any] = [
    (),
    (1,),
    ("1", 2),
    (1, "2"),
    (1, 2, 3, 4),
    (None, None),
    (True, 1),
    (0, 2**70),
    (0, 1, 1),
    (0, None, None),
]


@check_cases("key", WRONG)
def test_a_key_of_another_list_is_refused(shared: ReleaseReader, key: Any) -> None:
    asked = [CompanyQuery(), CompanyQuery(q="as"), CompanyQuery(q="as", statuses=STATUSES)]
    asked += [CompanyQuery(q=q, sort=sort, statuses=STATUSES) for q in (None, "as") for sort in SORTS]
    with shared.pin_release() as snapshot:
        for query in asked:
            with pytest.raises(InvalidPageKeyError):
                snapshot.search_companies(query, key, 5)
        with pytest.raises(InvalidPageKeyError):
            snapshot.company_financials("firm:NO:900000001", FinancialsQuery(), key, 5)
        with pytest.raises(InvalidPageKeyError):
            snapshot.company_owners("firm:NO:900000001", dt.date(2025, 1, 1), None, key, 5)
        if key != (1,):
            with pytest.raises(InvalidPageKeyError):
                snapshot.company_events("firm:NO:900000001", EventQuery(), key, 5)


@pytest.mark.parametrize(
    ("sort", "key"), [("-registered_date", (0, "soon", "firm:NO:1")), ("id", (0, "x", "x")), ("name", (0, 1, "x"))]
)
def test_a_key_of_no_value_is_refused(shared: ReleaseReader, sort: str, key: Key) -> None:
    with shared.pin_release() as snapshot, pytest.raises(InvalidPageKeyError):
        snapshot.search_companies(CompanyQuery(sort=sort, statuses=STATUSES), key, 5)


def test_keys_fit_into_a_cursor(layout: Layout) -> None:
    reader = _serve(layout, "\U00020000" * 300 + " AS", "株" * 300, "a" * 300)
    with reader.pin_release() as snapshot:
        for sort in SORTS:
            for query in (CompanyQuery(sort=sort), CompanyQuery(q="a", sort=sort)):
                for key in snapshot.search_companies(query, None, 5).keys:
                    assert sum(len(str(part).encode()) for part in key) < 4 * LONGEST_NAME + 30
    reader.close()


class _Late:
    """A clock that is far ahead at the second look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 10
        return self.now


def test_a_list_that_takes_too_long_is_given_up(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.reader.queries.duckdb_scans.STEPS", 100)
    _serve(layout, *(f"Firma {n} AS" for n in range(300))).close()
    patient, hasty = ReleaseReader(layout, _Late(), seconds=1e9), ReleaseReader(layout, _Late(), seconds=5)
    with patient.pin_release() as slow, hasty.pin_release() as fast:
        for query in (CompanyQuery(q="as fir"), CompanyQuery(q="as", statuses=STATUSES), CompanyQuery(sort="name")):
            assert slow.search_companies(query, None, 3).has_more
            with pytest.raises(QueryTimeoutError, match="within 5 s"):
                fast.search_companies(query, (0, "zz", "firm:NO:0") if query.sort else (4, 0), 100)
        assert fast.profile("firm:NO:900000001")
    patient.close()
    hasty.close()


def test_a_scan_is_stopped_by_the_engine(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "empty.duckdb") as empty:
        empty.execute("CREATE TABLE search (rank BIGINT)")
        empty.execute("CREATE TABLE places (place BIGINT, names VARCHAR)")
        for table in OF_COMPANIES:
            empty.execute(f"CREATE TABLE {table} (company_id VARCHAR)")
    scans = DuckdbScans([tmp_path / "empty.duckdb"])
    assert scans.rows(QueryDeadline(60, time.monotonic), "SELECT $one", {"one": 1}) == [(1,)]
    endless = "SELECT count(*) FROM range(1000000000000) AS r(n) WHERE n % 7 = $left"
    with pytest.raises(QueryTimeoutError, match=r"within 0\.3 s") as caught:
        scans.rows(QueryDeadline(0.3, time.monotonic), endless, {"left": 3})
    assert isinstance(caught.value.__cause__, duckdb.InterruptException)
    assert scans.rows(QueryDeadline(60, time.monotonic), "SELECT $one", {"one": 2}) == [(2,)]
    scans.close()


@pytest.mark.slow
def test_nothing_twice_and_nothing_missed_while_companies_come_and_go(layout: Layout) -> None:
    given = world.firms(3, 10_500)
    world.publish_firms(layout, given[:10_000])
    asked = [CompanyQuery(q=q, sort=sort) for q in (None, "as") for sort in SORTS]
    asked += [CompanyQuery(q="no", statuses=STATUSES), CompanyQuery(statuses=("active",), sort="name")]
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        before = [_ids(snapshot, query, None, pages=4) for query in asked]
    reader.close()
    stayed = given[300:10_000]
    world.publish_firms(layout, [*stayed, *given[10_000:]], at=1)
    ids = {firm.company_id for firm in stayed}
    with release_documents(layout, 2) as connection:
        ranks = dict(connection.execute("SELECT company_id, rank FROM companies").fetchall())
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        assert snapshot.release_number == 2
        for query, (first, after) in zip(asked, before, strict=True):
            rest, _ = _ids(snapshot, query, after, pages=10**6)
            found = first + rest
            assert len(set(found)) == len(found), query
            due = world.expected([*stayed, *given[10_000:]], ranks, query)
            assert [one for one in found if one in ids] == [one for one in due if one in ids], query
    reader.close()


def _ids(
    snapshot: PinnedRelease, query: CompanyQuery, after: Key | None, *, pages: int
) -> tuple[list[str], Key | None]:
    found: list[str] = []
    for _ in range(pages):
        page = snapshot.search_companies(query, after, 100)
        found += [json.loads(row)["id"] for row in page.rows]
        after = page.keys[-1] if page.keys else after
        if not page.has_more:
            break
    return found, after


def _tables(layout: Layout, number: int) -> dict[str, list[Any]]:
    with open_release_tables(layout, number) as connection:
        assert search_table.find_inconsistency(connection) is None
        found = connection.execute(
            "SELECT s.*, p.names FROM search AS s LEFT JOIN places AS p USING (place) ORDER BY company_id"
        ).fetchall()
    labels: list[Any] = []
    words: set[str] = set()
    with release_documents(layout, number) as connection:
        served = connection.execute("SELECT company_id, rank FROM companies ORDER BY company_id").fetchall()
        for index in connection.name_indexes:
            seen = f"SELECT rank, folded, country FROM {index.schema}.labels WHERE true{index.visible('rank')}"
            labels += connection.execute(seen).fetchall()
            words |= {word for (word,) in connection.execute(f"SELECT word FROM {index.schema}.words")}
    labels.sort()
    assert served == [(row[1], row[0]) for row in found], "documents and names go by the ranks searched by"
    assert sorted(rank for _, rank in served) == [rank for rank, _, _ in labels]
    held = {word for _, name, _ in labels for word in name.split()}
    assert held <= words
    return {"search": found, "labels": labels}


@pytest.mark.slow
def test_a_patched_release_is_searched_as_a_full_one(layout: Layout) -> None:
    given = world.firms(4, 150)
    world.publish_firms(layout, given[:120])
    other = world.firms(5, 150)
    other[0].row["name"] = "Zebrafisken AS"  # words that no name held before
    changed = [*other[:20], *given[30:110], *given[120:]]
    world.publish_firms(layout, changed, at=1)
    patched = _tables(layout, 2)
    learn(layout, "NO", 2, companies=[firm.row for firm in changed if firm["country"] == "NO"])
    manifest = publish(layout, *world.PLACES, at=2, full=True)
    assert manifest is not None
    assert manifest.kind == "full"
    assert _tables(layout, 3) == patched
    assert len(patched["search"]) == len(changed)


@pytest.mark.slow
def test_answers_over_several_segments_are_those_of_one(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte for byte, with their keys: names that came, went and changed, typos, filters, orders, pages."""
    monkeypatch.setattr("warehouse.release.segments.GROWTH", 0)  # deltas are not merged before there are four
    given, others = world.firms(6, 160), world.firms(7, 160)
    for at in range(5):
        firms = [*others[: 12 * at], *given[12 * at : 100 + 12 * at]]
        world.publish_firms(layout, firms, at=at)
    segments = release_manifest.read_manifest(layout, 5).segments
    assert len(segments) == 5
    found = _every_answer(layout)
    full = publish(layout, *world.PLACES, at=5, full=True)
    assert full is not None
    assert len(full.segments) == 1
    assert full.content_fingerprint == release_manifest.read_manifest(layout, 5).content_fingerprint
    assert _every_answer(layout) == found


def _every_answer(layout: Layout) -> dict[str, list[Any]]:
    reader, found = ReleaseReader(layout), {}
    with reader.pin_release() as snapshot:
        names = [json.loads(row)["name"] for row in snapshot.search_companies(CompanyQuery(), None, 200).rows]
        words = {name.split()[0] for name in names[::9]}
        slipped = {word[:-2] + word[-1] for word in words if len(word) > 5}
        for q in (None, "a", "as", *sorted(words | slipped), *names[::31]):
            for query in (CompanyQuery(q=q), CompanyQuery(q=q, statuses=("active",)), *_sorted_queries(q)):
                pages: list[Any] = []
                after = None
                while not pages or (pages[-1].has_more and len(pages) < 4):
                    pages.append(snapshot.search_companies(query, after, 17))
                    after = pages[-1].keys[-1] if pages[-1].keys else None
                found[repr(query)] = pages
    reader.close()
    return found


def _sorted_queries(q: str | None) -> list[CompanyQuery]:
    return [CompanyQuery(q=q, sort=sort) for sort in SORTS] if q is None or len(q) < 3 else []


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        ("DELETE FROM search WHERE company_id = 'firm:NO:900000000'", "search rows do not match the companies"),
        ("UPDATE search SET status = 'dissolved'", "search rows do not match the companies"),
        ("UPDATE search SET rank = 7", "share a rank"),
        ("DELETE FROM places", "refer to unknown places"),
    ],
)
def test_harm_to_the_table_is_seen(layout: Layout, harm: str, told: str) -> None:
    _serve(layout, "A", "B", county="Oslo", county_code="03").close()
    with open_database(segment_file(layout, 1, ROWS)) as connection:
        assert search_table.find_inconsistency(connection) is None
        connection.execute(harm)
        found = search_table.find_inconsistency(connection)
    assert found is not None
    assert told in found


def test_companies_of_one_rank_are_parted(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.serving.search_table.RANK", "length(c.name)")
    reader = _serve(layout, "Firma A", "Firma B", "Firma C", "Firma DE")
    learn(layout, "NO", 1, companies=[member("NO", n, name=f"Firma {n}") for n in (1, 0, 2, 7)])
    with reader.pin_release() as snapshot:
        assert _names(snapshot, CompanyQuery(q="firma"), 1) == ["Firma A", "Firma B", "Firma C", "Firma DE"]
    reader.close()
    publish(layout, "NO", at=1)
    _tables(layout, 2)


def test_who_comes_takes_no_rank_that_is_served(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.serving.search_table.RANK", "length(c.name)")
    names = ("Firma A", "Firma B", "Firma C")
    _serve(layout, *names[:2]).close()
    learn(layout, "NO", 1, companies=[member("NO", n, name=name) for n, name in enumerate(names)])
    publish(layout, "NO", at=1)
    assert [(row[1][-1], row[0]) for row in _tables(layout, 2)["search"]] == [("0", 7), ("1", 8), ("2", 9)]


def test_a_search_by_name_needs_no_engine(layout: Layout) -> None:
    _serve(layout, "Norsk Bygg").close()
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from warehouse.storage.layout import Layout\n"
        "from warehouse.reader.reader import CompanyQuery, ReleaseReader\n"
        "with ReleaseReader(Layout(Path(sys.argv[1]))).pin_release() as snapshot:\n"
        "    for query in (CompanyQuery(), CompanyQuery(q='nors'), CompanyQuery(q='nosrk', countries=('NO',))):\n"
        "        assert snapshot.search_companies(query, None, 5).rows, query\n"
        "    print('duckdb' in sys.modules)\n"
        "    assert snapshot.search_companies(CompanyQuery(sort='name'), None, 5).rows\n"
        "    print([name for name in ('duckdb', 'polars', 'pyarrow') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(layout.root)], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.splitlines() == ["False", "['duckdb']"]


_texts = st.text(st.sampled_from("ab oåzæ株\U00020000"), max_size=12)
_numbers = st.builds(
    "firm:{}:{}".format, st.sampled_from(["NO", "UK", "US", "SE"]), st.text(st.sampled_from("-09AZaz ~"), max_size=14)
)


@given(_texts, _texts)
def test_initials_compare_as_names(left: str, right: str) -> None:
    assert (left < right) >= (sort_keys.name_sort_key(left) < sort_keys.name_sort_key(right))


@example("firm:NO:~", "firm:NO:z9")  # no number is written so; the first must not come out smaller
@given(_numbers, _numbers)
def test_initials_compare_as_ids(left: str, right: str) -> None:
    assert (left < right) >= (sort_keys.id_sort_key(left) < sort_keys.id_sort_key(right))
    assert 0 <= sort_keys.id_sort_key(left) < 2**63
