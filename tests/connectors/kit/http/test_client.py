"""Fetching over real HTTP on loopback."""

import gzip
import io
import ssl
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from connectors.contract.dataset import Cursor, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.client import HttpClient, HttpSettings, NotModified, Validators
from connectors.kit.http.errors import (
    BodyTooLargeError,
    FetchError,
    MissingResourceError,
    RequestRejectedError,
    SourceUnavailableError,
    TruncatedBodyError,
    UnexpectedBodyError,
    public_url,
)
from connectors.kit.http.retry import parse_http_date
from tests.connectors.kit.conftest import NOON, Answer, Hands, Registry

URL = "https://data.example.no/enheter/lastned"
ZIP = {BodyFormat.ZIP}


def zipped(size: int = 200_000) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.csv", bytes(range(256)) * (size // 256))
    return buffer.getvalue()


def test_documented_host_is_served_from_its_base(http: HttpClient, registry: Registry):
    registry.answers = [Answer(b'{"a": 1}')]
    assert http.json(URL + "?size=2") == {"a": 1}
    path, headers = registry.asked[0]
    assert path == "/no/enheter/lastned?size=2"
    assert headers["user-agent"] == "firmdata/test (contact@example.com)"


def test_retry_after_in_seconds_is_honoured(http: HttpClient, registry: Registry, hands: Hands):
    registry.answers = [Answer(status=429, headers={"Retry-After": "7"}), Answer(b"[]")]
    assert http.json(URL) == []
    assert hands.slept == [pytest.approx(7.0)]


@pytest.mark.parametrize("text", ["Fri, 31 Dec 9999 23:59:59 -1400", "soon"])
def test_a_date_beyond_the_calendar_is_none(text: str):
    assert parse_http_date(text) is None


def test_retry_after_as_a_date_counts_from_the_servers_clock(http: HttpClient, registry: Registry, hands: Hands):
    headers = {"Retry-After": "Fri, 20 Nov 2026 09:00:30 GMT", "Date": "Fri, 20 Nov 2026 09:00:00 GMT"}
    registry.answers = [Answer(status=503, headers=headers), Answer(b"[]")]
    assert http.json(URL) == []
    assert hands.slept == [pytest.approx(30.0)]


def test_backoff_grows_then_gives_up(http: HttpClient, registry: Registry, hands: Hands):
    registry.answers = [Answer(b"<html>sorry", status=503)]
    with pytest.raises(SourceUnavailableError, match=r"status 503.*attempt 4") as caught:
        http.json(URL)
    assert caught.value.status == 503
    assert hands.slept == [1.0, 2.0, 4.0]
    assert len(registry.asked) == 4


def test_503_then_200(http: HttpClient, registry: Registry):
    registry.answers = [Answer(status=503), Answer(b'{"ok":true}')]
    assert http.json(URL) == {"ok": True}


def test_a_pause_past_patience_is_not_waited_for(http: HttpClient, registry: Registry, hands: Hands):
    registry.answers = [Answer(status=429, headers={"Retry-After": "86400"})]
    with pytest.raises(SourceUnavailableError, match="Retry-After 86400 s"):
        http.json(URL)
    assert hands.slept == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, MissingResourceError),
        (410, MissingResourceError),
        (401, RequestRejectedError),
        (500, RequestRejectedError),
    ],
)
def test_statuses_that_asking_again_does_not_change(http: HttpClient, registry: Registry, status: int, kind: type):
    registry.answers = [Answer(b"{}", status=status)]
    with pytest.raises(kind):
        http.get(URL)
    assert len(registry.asked) == 1


def test_an_allowed_status_is_an_answer(http: HttpClient, registry: Registry):
    registry.answers = [Answer(b"", status=404)]
    assert http.get(URL, allow={404}).status == 404


def test_nobody_listens(tmp_path: Path, hands: Hands):
    settings = HttpSettings("x (x@example.com)", tmp_path, base_urls={"data.example.no": "http://127.0.0.1:9"})
    with HttpClient(settings, hands.clock()) as http, pytest.raises(SourceUnavailableError, match="no connection"):
        http.get(URL)
    assert len(hands.slept) >= 4


def test_html_with_status_200_where_a_zip_was_due(http: HttpClient, registry: Registry):
    registry.answers = [Answer(b"<!DOCTYPE html><html>maintenance", headers={"Content-Type": "text/html"})]
    with pytest.raises(UnexpectedBodyError, match="expected zip, found html"):
        http.download(URL, expect=ZIP)


def test_html_content_type_where_text_was_due(http: HttpClient, registry: Registry):
    registry.answers = [Answer(b"Sorry, come back", headers={"Content-Type": "text/html"})]
    with pytest.raises(UnexpectedBodyError, match="the content type is HTML"):
        http.download(URL, expect={BodyFormat.TEXT})


def test_too_many_requests_said_with_200_is_asked_again(http: HttpClient, registry: Registry, hands: Hands):
    registry.answers = [Answer(b"Too many requests"), Answer(b"[1]")]
    assert http.json(URL) == [1]
    assert hands.slept == [1.0]


def test_json_that_is_cut_inside(http: HttpClient, registry: Registry):
    registry.answers = [Answer(b'{"a": ')]
    with pytest.raises(UnexpectedBodyError):
        http.json(URL)


def test_a_cut_off_body_is_resumed_by_range(http: HttpClient, registry: Registry):
    body = zipped()

    def decide(path: str, headers: dict[str, str]) -> Answer:
        if "range" not in headers:
            return Answer(body, headers={"ETag": '"v1"'}, cut=70_000)
        start = int(headers["range"].removeprefix("bytes=").rstrip("-"))
        assert headers["if-range"] == '"v1"'
        given = {"ETag": '"v1"', "Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}
        return Answer(body[start:], 206, given)

    registry.decide = decide
    fetched = http.download(URL, expect=ZIP)
    assert not isinstance(fetched, NotModified)
    assert fetched.read() == body
    assert len(registry.asked) == 2


def test_a_changed_etag_starts_again(http: HttpClient, registry: Registry):
    old, new = zipped(), zipped(100_000)

    def decide(path: str, headers: dict[str, str]) -> Answer:
        first = len(registry.asked) == 1
        return Answer(old if first else new, headers={"ETag": '"v1"' if first else '"v2"'}, cut=9000 if first else None)

    registry.decide = decide
    fetched = http.download(URL, expect=ZIP)
    assert not isinstance(fetched, NotModified)
    assert fetched.read() == new


def test_a_range_of_another_version_is_not_glued_on(http: HttpClient, registry: Registry):
    body = zipped()
    registry.answers = [
        Answer(body, headers={"ETag": '"v1"'}, cut=9000),
        Answer(b"xxxx", 206, {"ETag": '"v2"', "Content-Range": "bytes 9000-9003/9004"}),
        Answer(body, headers={"ETag": '"v2"'}),
    ]
    fetched = http.download(URL, expect=ZIP)
    assert not isinstance(fetched, NotModified)
    assert fetched.read() == body


def test_a_body_that_always_breaks_off(http: HttpClient, registry: Registry, tmp_path: Path):
    registry.answers = [Answer(zipped(), cut=5000)]
    with pytest.raises(TruncatedBodyError, match="broke off"):
        http.download(URL, expect=ZIP)
    assert list((tmp_path / "incoming").iterdir()) == []


def test_a_slow_drip_is_given_up(http: HttpClient, registry: Registry, hands: Hands):
    hands.tick = 100.0
    registry.answers = [Answer(b"PK\x03\x04" + b"x" * 2000)]
    with pytest.raises(TruncatedBodyError, match="slower than 2048 bytes"):
        http.download(URL, expect=ZIP)


@pytest.mark.parametrize("announced", [True, False])
def test_size_cap(http: HttpClient, registry: Registry, announced: bool):
    body = b"PK\x03\x04" + b"x" * (5 << 20)
    packed = gzip.compress(body)
    headers = {} if announced else {"Content-Encoding": "gzip", "Content-Length": str(len(packed))}
    registry.answers = [Answer(body if announced else packed, headers=headers)]
    with pytest.raises(BodyTooLargeError, match="more than 4194304"):
        http.download(URL, expect=ZIP)


def test_gzip_content_encoding_is_undone(http: HttpClient, registry: Registry):
    packed = gzip.compress(b"a,b\n1,2\n")
    registry.answers = [Answer(packed, headers={"Content-Encoding": "gzip", "Content-Length": str(len(packed))})]
    fetched = http.download(URL, expect={BodyFormat.TEXT})
    assert not isinstance(fetched, NotModified)
    assert fetched.read() == b"a,b\n1,2\n"


def test_not_modified(http: HttpClient, registry: Registry):
    modified = "Thu, 19 Nov 2026 04:00:00 GMT"
    registry.answers = [Answer(zipped(), headers={"ETag": '"v1"', "Last-Modified": modified}), Answer(status=304)]
    fetched = http.download(URL, expect=ZIP)
    assert not isinstance(fetched, NotModified)
    arrival = fetched.to_fetched_file("enheter.zip", Scope.FULL)
    again = http.download(URL, expect=ZIP, since=Validators.of(arrival.cursor))
    assert isinstance(again, NotModified)
    assert registry.asked[1][1]["if-none-match"] == '"v1"'
    assert registry.asked[1][1]["if-modified-since"] == modified
    fetched.body.close()


def test_a_cursor_of_another_kind_is_no_validator():
    assert Validators.of(Cursor("12345")) is None
    assert Validators.of(Cursor("not json")) is None
    assert Validators().cursor() is None


def test_observed_at_is_last_modified_else_date_else_the_clock(http: HttpClient, registry: Registry):
    date, modified = "Fri, 20 Nov 2026 09:00:00 GMT", "Thu, 19 Nov 2026 04:00:00 GMT"
    registry.answers = [Answer(b"[]", headers={"Date": date, "Last-Modified": modified})]
    assert http.get(URL).observed_at.isoformat() == "2026-11-19T04:00:00+00:00"
    registry.answers = [Answer(b"[]", headers={"Date": date, "Last-Modified": "yesterday"})]
    assert http.get(URL).observed_at.isoformat() == "2026-11-20T09:00:00+00:00"
    registry.answers = [Answer(b"[]")]
    assert http.get(URL).observed_at == NOON


def test_a_redirect_to_another_host_goes_without_authorization(http: HttpClient, registry: Registry):
    elsewhere = f"http://localhost:{registry.port}/signed?X-Amz-Signature=abc"
    registry.answers = [Answer(status=302, headers={"Location": elsewhere}), Answer(b"[]")]
    fetched = http.get(URL, auth=("key-123", ""), headers={"Accept": "application/json", "X-Api-Key": "key-123"})
    assert "authorization" in registry.asked[0][1]
    assert "authorization" not in registry.asked[1][1]
    assert "x-api-key" not in registry.asked[1][1]
    assert registry.asked[1][1]["accept"] == "application/json"
    assert fetched.url == URL


def test_a_redirect_on_the_same_host_keeps_authorization(http: HttpClient, registry: Registry):
    registry.answers = [Answer(status=302, headers={"Location": "/no/other"}), Answer(b"[]")]
    http.get(URL, auth=("key-123", ""))
    assert "authorization" in registry.asked[1][1]


def test_redirects_without_end(http: HttpClient, registry: Registry):
    registry.answers = [Answer(status=302, headers={"Location": "/no/other"})]
    with pytest.raises(RequestRejectedError, match="more than 5 redirects"):
        http.get(URL)


def test_secrets_stay_out_of_addresses_and_messages(http: HttpClient, registry: Registry):
    secret = "hunter2"
    url = f"https://user:{secret}@data.example.no/x?api_key={secret}&page=2#{secret}"
    assert public_url(url) == "https://data.example.no/x?api_key=…&page=2"
    registry.answers = [Answer(b"<html>")]
    for headers in ({}, {"Authorization": f"Bearer {secret}\n"}):
        with pytest.raises(FetchError) as caught:
            http.get(url, headers=headers)
        assert secret not in str(caught.value)
        assert secret not in repr(caught.value.__cause__)
    with pytest.raises(FetchError):
        http.get(f"nothing://{secret}:{secret}@x")


def test_the_host_is_not_asked_faster_than_its_rate(registry: Registry, hands: Hands, tmp_path: Path):
    base = {"data.example.no": f"http://127.0.0.1:{registry.port}"}
    settings = HttpSettings("x (x@example.com)", tmp_path, base_urls=base, rates={"data.example.no": 0.5})
    registry.answers = [Answer(b"[]")]
    with HttpClient(settings, hands.clock()) as http:
        for _ in range(4):
            http.get(URL)
    assert hands.slept == pytest.approx([2.0, 2.0, 2.0])


def test_lines_of_a_stream_come_with_its_heartbeats_and_the_last_one(http: HttpClient, registry: Registry):
    registry.answers = [Answer(b'{"a":1}\n\n \r\n{"a":2}\n{"a":3}')]
    assert list(http.stream_lines(URL)) == [b'{"a":1}', b"", b"", b'{"a":2}', b'{"a":3}']


def test_a_stream_that_breaks_off_or_is_too_old(http: HttpClient, registry: Registry):
    registry.answers = [Answer(b'{"a":1}\n{"a"', headers={"Content-Length": "100"}, cut=12)]
    got = []
    with pytest.raises(TruncatedBodyError):
        got.extend(http.stream_lines(URL))
    registry.answers = [Answer(status=416)]
    with pytest.raises(RequestRejectedError) as caught:
        list(http.stream_lines(URL))
    assert caught.value.status == 416


def test_certificates_are_read_by_the_first_client_of_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = HttpSettings("test (test@example.com)", tmp_path)
    HttpClient(settings).close()
    monkeypatch.setattr(ssl, "create_default_context", lambda **_: pytest.fail("read again"))
    HttpClient(settings).close()
    with pytest.raises(pytest.fail.Exception, match="read again"):  # those that the environment names may change
        HttpClient(replace(settings, uses_environment_proxies=True))
