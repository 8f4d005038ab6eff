"""Paging through the indexes, and documents one by one: what is asked, what is remembered, what an outage leaves."""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.dk.offentliggoerelser.dataset import INDEX as PUBLISHED
from connectors.dk.regnskaber import fetch as documents
from connectors.dk.search import SIZE, SearchPosition
from connectors.dk.virksomhed.dataset import INDEX
from connectors.kit.cursors import from_json_cursor
from connectors.kit.formats import BodyFormat
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import MissingResourceError, SourceUnavailableError, UnexpectedBodyError
from connectors.kit.http.response import FetchedResponse, Validators
from tests.connectors.dk.records import COMPANIES, PUBLICATIONS, REPORTS, batches
from tests.connectors.dk.report_files import full, listed, publication, url
from tests.tables import check_cases

NOW = datetime(2026, 11, 3, 4, tzinfo=UTC)
Hits = list[tuple[str, int]]  # id and instant in milliseconds, in order


@dataclass
class Register:
    """An index that is searched: hits after a sort key, as the register answers; documents by address."""

    hits: Hits = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)
    document: Callable[[str], bytes] = lambda _: full().instance()
    asked: list[Any] = field(default_factory=list)

    def now(self) -> datetime:
        return NOW

    def pause(self, _url: str, _seconds: float) -> None: ...

    def post(self, url: str, content: bytes, media_type: str, **_: Any) -> FetchedResponse:
        query = json.loads(content)
        self.asked.append(query)
        assert media_type == "application/json"
        window = query["query"].get("range") or query["query"]["bool"]["must"][0]["range"]
        since = datetime.fromisoformat(next(iter(window.values()))["gte"]).timestamp() * 1000
        after = tuple(query.get("search_after", (-1, -1)))
        keys = [(at, place) for place, (_, at) in enumerate(self.hits)]
        found = [
            {"_id": identity, "sort": list(key), "_source": {}}
            for (identity, at), key in zip(self.hits, keys, strict=True)
            if at >= since and key > after
        ][: query["size"]]
        body = {"timed_out": False, "_shards": {"failed": 0}, "hits": {"total": 9, "hits": found}} | self.more
        return self._answer(url, json.dumps(body).encode())

    def get(self, url: str, **_: Any) -> FetchedResponse:
        self.asked.append(url)
        return self._answer(url, self.document(url))

    @staticmethod
    def _answer(url: str, body: bytes) -> FetchedResponse:
        return FetchedResponse(url, 200, {}, io.BytesIO(body), len(body), BodyFormat.JSON, NOW, None, Validators())


def fetched(
    register: Register, cursor: Cursor | None = None, subjects: Any = (), dataset: Any = COMPANIES
) -> list[FetchedFile]:
    return list(dataset.fetch(cast("HttpClient", register), cursor, subjects))


def hits(count: int, at: int = 1_700_000_000_000) -> Hits:
    return [(str(place), at + place * 1000) for place in range(count)]


def ids(files: list[FetchedFile]) -> list[list[str]]:
    return [[hit["_id"] for hit in json.loads(file.body.read())["hits"]["hits"]] for file in files]


def test_the_first_run_reads_everything_in_the_order_of_change() -> None:
    register = Register(hits(SIZE + 3))
    files = fetched(register)
    assert [len(page) for page in ids(files)] == [SIZE, 4]  # the last key of a full page is asked for again
    first, second = register.asked
    assert first["query"] == {"range": {"Vrvirksomhed.sidstOpdateret": {"gte": "1900-01-01T00:00:00.000Z"}}}
    assert first["sort"] == [{"Vrvirksomhed.sidstOpdateret": "asc"}, {"Vrvirksomhed.enhedsNummer": "asc"}]
    assert "search_after" not in first
    assert second["search_after"] == [1_700_000_000_000 + (SIZE - 2) * 1000, SIZE - 2]
    assert not any(
        "adresse" in name
        and "deltager" in name
        and "landekode" not in name
        and "periode" not in name
        and "Hemmelig" not in name
        for name in first["_source"]
    )


def test_the_next_run_overlaps_by_a_day_and_keeps_only_pages_with_news() -> None:
    register = Register(hits(10))
    cursor = fetched(register)[-1].cursor
    assert fetched(register, cursor) == []
    register.hits.append(("new", register.hits[-1][1] + 5000))
    (file,) = fetched(register, cursor)
    assert "new" in ids([file])[0]
    (window,) = register.asked[-1]["query"]["range"].values()
    assert window["gte"] == "2023-11-13T22:13:29.000Z"  # a day before the newest


def test_a_record_that_changed_again_is_news() -> None:
    register = Register(hits(3))
    cursor = fetched(register)[-1].cursor
    register.hits = [*register.hits[1:], ("0", register.hits[-1][1] + 1000)]
    assert len(fetched(register, cursor)) == 1


def test_a_broken_read_goes_on_where_it_was() -> None:
    register = Register(hits(SIZE * 2))
    pages = cast(
        "Iterator[FetchedFile]", INDEX and COMPANIES.fetch and COMPANIES.fetch(cast("HttpClient", register), None, ())
    )
    cursor = next(pages).cursor
    again = Register(register.hits)
    rest = ids(fetched(again, cursor))
    assert again.asked[0]["search_after"] == [1_700_000_000_000 + (SIZE - 2) * 1000, SIZE - 2]
    assert {one for page in rest for one in page} == {str(place) for place in range(SIZE - 1, SIZE * 2)}


def test_hits_of_one_sort_key_that_fill_a_page_are_an_error() -> None:
    class Stuck(Register):
        def post(self, url: str, content: bytes, media_type: str, **_: Any) -> FetchedResponse:
            found = [{"_id": str(place), "sort": [5, 5]} for place in range(SIZE)]
            return self._answer(url, json.dumps({"hits": {"hits": found}}).encode())

    with pytest.raises(UnexpectedBodyError, match="one sort key"):
        fetched(Stuck())


@check_cases(
    ("more", "error"),
    [
        ({"timed_out": True}, SourceUnavailableError),
        ({"_shards": {"failed": 1}}, SourceUnavailableError),
        ({"hits": {"hits": [{"_id": "1"}]}}, UnexpectedBodyError),
    ],
)
def test_an_answer_that_is_not_whole_ends_the_run(more: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        fetched(Register(hits(1), more))


def test_publications_are_read_from_eighteen_months_ago_and_reports_alone() -> None:
    register = Register(hits(1, 1_780_000_000_000))
    (file,) = fetched(register, dataset=PUBLICATIONS)
    (query,) = register.asked
    window, kind = query["query"]["bool"]["must"]
    assert window == {"range": {PUBLISHED.instant: {"gte": "2025-05-02T04:00:00.000Z"}}}
    assert kind == {"term": {"offentliggoerelsestype": "regnskab"}}
    assert file.name.startswith("offentliggoerelser-")


def test_an_unreadable_cursor_starts_over() -> None:
    register = Register(hits(2))
    assert len(fetched(register, Cursor("nothing"))) == 1
    position = from_json_cursor(fetched(Register(hits(2)))[-1].cursor, SearchPosition)
    assert position is not None
    assert position.newest == 1_700_000_001_000


def subjects(*publications: dict[str, Any]) -> list[str]:
    (batch,) = batches(PUBLICATIONS, listed(*publications))
    assert REPORTS.subjects_to_fetch is not None
    return list(REPORTS.subjects_to_fetch({batch.table: batch.rows}))


def test_documents_that_a_program_can_read_are_asked_for_newest_first() -> None:
    foreign = [
        {
            "dokumentType": "AARSRAPPORT",
            "dokumentMimeType": "application/xml",
            "dokumentUrl": "http://example.org/x.xml",
        }
    ]
    named = subjects(
        publication(1, day="2026-05-01"), publication(2, day="2026-06-01"), publication(3, dokumenter=foreign)
    )
    assert [documents.NamedDocument.of(one).url for one in named] == [url(2, "xml"), url(1, "xml")]
    register = Register()
    files = fetched(register, None, named, REPORTS)
    assert [file.name for file in files] == ["urn%3Aofk%3Aoid%3A2~1.xml", "urn%3Aofk%3Aoid%3A1~1.xml"]
    assert register.asked == [url(2, "xml"), url(1, "xml")]


def test_a_document_is_asked_for_once_and_old_ones_are_forgotten() -> None:
    first = subjects(publication(1, day="2026-05-01"))
    cursor = fetched(Register(), None, first, REPORTS)[-1].cursor
    assert fetched(Register(), cursor, first, REPORTS) == []
    later = fetched(Register(), cursor, subjects(publication(2, day="2026-06-01")), REPORTS)[-1].cursor
    assert set(documents.DocumentProgress.of(later).fetched) == {"urn%3Aofk%3Aoid%3A2~1.xml"}


def test_a_document_that_does_not_come_stops_no_other_and_is_asked_for_again() -> None:
    def missing(address: str) -> bytes:
        if address == url(1, "xml"):
            raise MissingResourceError(address, 404, "gone")
        return full().instance()

    files: list[FetchedFile] = []
    with pytest.raises(MissingResourceError):
        files.extend(
            file
            for file in cast("Any", REPORTS.fetch)(
                Register(document=missing), None, subjects(publication(1), publication(2))
            )
            if files.append(file) is None and False
        )
    assert [file.name for file in files] == ["urn%3Aofk%3Aoid%3A2~1.xml"]
    (again,) = fetched(Register(), files[-1].cursor, (), REPORTS)
    assert again.name == "urn%3Aofk%3Aoid%3A1~1.xml"
    assert documents.DocumentProgress.of(again.cursor).owed == {}


def test_a_document_is_given_up_after_seven_runs() -> None:
    progress = documents.DocumentProgress()
    (named,) = (documents.NamedDocument.of(one) for one in subjects(publication(1)))
    for _ in range(documents.TRIES):
        assert named.file_name not in progress.fetched
        progress.fail(named)
    assert (named.file_name in progress.fetched, progress.owed) == (True, {})


def test_a_run_ends_after_its_budget_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "BUDGET", 2)
    named = subjects(*(publication(place, day=f"2026-05-0{place}") for place in range(1, 5)))
    files = fetched(Register(), None, named, REPORTS)
    assert [(file.has_more, file.remaining) for file in files] == [(False, None), (True, (2, "documents"))]
    rest = fetched(Register(), files[-1].cursor, named, REPORTS)
    assert len(rest) == 2
