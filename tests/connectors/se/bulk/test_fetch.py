"""Fetching the weekly files: conditional bulk, the archive's listing with its marker, zips written anew."""

import pytest

from connectors.contract.dataset import Cursor, Scope
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import FetchError, UnexpectedBodyError
from tests.connectors.se.bulk_files import BULK, ONE, SCB, bulk, organisation, scb, unit, zipped
from tests.connectors.se.conftest import Asked, Registry
from tests.connectors.se.report_files import REPORTS

FILES = "/arsredovisningar-bulkfiler"
FIRST = f"{FILES}?prefix=arsredovisningar/"
MARKER = "arsredovisningar/2025/26_2.zip[minio_list:v2,return:]"
SECOND = f"{FIRST}&marker=arsredovisningar%2F2025%2F26_2.zip%5Bminio_list%3Av2%2Creturn%3A%5D"


def listing(*files: tuple[str, str], marker: str | None = None) -> bytes:
    contents = "".join(
        f'<Contents><Key>{key}</Key><LastModified>{at}</LastModified><ETag>"x-7"</ETag><Size>9</Size></Contents>'
        for key, at in files
    )
    more = (
        f"<NextMarker>{marker}</NextMarker><IsTruncated>true</IsTruncated>"
        if marker
        else "<IsTruncated>false</IsTruncated>"
    )
    return f'<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{more}{contents}</ListBucketResult>'.encode()


@pytest.mark.parametrize(
    ("dataset", "path", "body"),
    [
        (BULK, "/bolagsverket/bolagsverket_bulkfil.zip", bulk(organisation(ONE))),
        (SCB, "/scb/scb_bulkfil.zip", scb(unit(ONE))),
    ],
)
def test_a_bulk_file_comes_once(registry: Registry, http: HttpClient, dataset, path: str, body: bytes) -> None:
    registry.say(path, zipped("bulkfil.txt", body), ETag='"1"', Last_Modified="Mon, 16 Nov 2026 06:00:00 GMT")
    (arrival,) = dataset.fetch(http, None, ())
    assert (arrival.scope, arrival.observed_at.isoformat()) == (Scope.FULL, "2026-11-16T06:00:00+00:00")
    assert list(dataset.fetch(http, arrival.cursor, ())) == []


def test_a_robot_check_with_status_200_is_not_believed(registry: Registry, http: HttpClient) -> None:
    registry.say("/bolagsverket/bolagsverket_bulkfil.zip", b"<html>Are you a robot?</html>")
    with pytest.raises(FetchError):
        list(BULK.fetch(http, None, ()))


def archive(registry: Registry, *files: tuple[str, str]) -> None:
    registry.say(FIRST, listing(*files))
    for key, _ in files:
        registry.say(f"{FILES}/{key}", zipped("x.zip", key.encode()))


OLD = ("arsredovisningar/2020/01_1.zip", "2025-02-07T09:11:31.713Z")
LAST = ("arsredovisningar/2025/38_1.zip", "2025-09-22T00:00:54Z")
NEW = [(f"arsredovisningar/2025/39_{part}.zip", "2025-09-29T00:00:54Z") for part in (1, 2)]


def test_where_nothing_was_taken_the_newest_week_comes(registry: Registry, http: HttpClient) -> None:
    archive(registry, OLD, LAST, *NEW)
    arrivals = list(REPORTS.fetch(http, None, ()))
    assert [arrival.name for arrival in arrivals] == [key for key, _ in NEW]
    assert {arrival.scope for arrival in arrivals} == {Scope.PART}


def test_fetching_goes_on_behind_the_last_zip_taken(registry: Registry, http: HttpClient) -> None:
    archive(registry, OLD, LAST, *NEW)
    first = next(iter(REPORTS.fetch(http, None, ())))
    rest = list(REPORTS.fetch(http, first.cursor, ()))
    assert [arrival.name for arrival in rest] == [NEW[1][0]]
    assert list(REPORTS.fetch(http, rest[-1].cursor, ())) == []


def test_pitfall_6_zips_written_anew_come_again(registry: Registry, http: HttpClient) -> None:
    archive(registry, OLD, LAST, *NEW)
    taken = list(REPORTS.fetch(http, None, ()))[-1].cursor
    archive(registry, (OLD[0], "2025-10-01T08:00:00Z"), LAST, *NEW)
    (again,) = REPORTS.fetch(http, taken, ())
    assert (again.name, again.observed_at.isoformat()) == (OLD[0], "2025-10-01T08:00:00+00:00")


def test_pitfall_6_the_marker_goes_back_as_it_came(registry: Registry, http: HttpClient) -> None:
    registry.say(FIRST, listing(OLD, marker=MARKER))
    registry.say(SECOND, listing(LAST))
    registry.say(f"{FILES}/{LAST[0]}", zipped("x.zip", b"x"))
    (arrival,) = REPORTS.fetch(http, None, ())
    assert arrival.name == LAST[0]
    assert registry.paths[:2] == [FIRST, SECOND]


@pytest.mark.parametrize(
    "page",
    [
        b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>",
        listing(),
        listing(OLD, marker="x").replace(b"<NextMarker>x</NextMarker>", b""),
        listing(OLD)[:-20],
    ],
)
def test_a_listing_that_is_none_is_not_believed(registry: Registry, http: HttpClient, page: bytes) -> None:
    registry.say(FIRST, page)
    with pytest.raises(UnexpectedBodyError):
        list(REPORTS.fetch(http, None, ()))


def test_a_listing_that_goes_in_circles_ends(registry: Registry, http: HttpClient) -> None:
    def page(_: Asked) -> tuple[int, bytes, dict[str, str]]:
        return 200, listing(OLD, marker=MARKER), {}

    registry.answers |= {FIRST: page, SECOND: page}
    with pytest.raises(UnexpectedBodyError, match="already read"):
        list(REPORTS.fetch(http, None, ()))


def test_a_strange_cursor_is_none(registry: Registry, http: HttpClient) -> None:
    archive(registry, OLD, *NEW)
    assert len(list(REPORTS.fetch(http, Cursor("x"), ()))) == 2
