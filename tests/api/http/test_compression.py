"""Compression: what is compressed, for whom, and that tags and lengths stay right."""

import gzip

import pytest

from api.http.compression import LEAST_COMPRESSED, MOST_COMPRESSED, accepts_gzip, gzip_body
from tests.tables import check_cases

LIST = "/api/v1/companies"
DOCUMENT = "/api/openapi.json"
GZIP, PLAIN = {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "identity"}


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


@check_cases(
    ("asked", "accepted"),
    [
        (b"gzip", True),
        (b"GZIP", True),
        (b"x-gzip", True),
        (b"deflate, gzip;q=0.5, br", True),
        (b"br;q=1.0, gzip;q=0.001", True),
        (b"*", True),
        (b"identity, *;q=0.1", True),
        (b"", False),
        (b"identity", False),
        (b"br, zstd, deflate", False),
        (b"gzip;q=0", False),
        (b"gzip; q=0.000, *", False),
        (b"*;q=0", False),
        (b"gzipped", False),
        (b"\xff", False),
    ],
)
def test_who_accepts_it(asked, accepted):
    assert accepts_gzip(asked) is accepted


@check_cases("path", [LIST, DOCUMENT])
def test_a_long_body_is_compressed_for_those_who_accept_it(service, path):
    plain, packed = service.get(path, **PLAIN), service.get(path, **GZIP)
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content
    assert len(plain.content) >= LEAST_COMPRESSED
    assert int(packed.headers["content-length"]) < len(plain.content) == int(plain.headers["content-length"])
    assert "Accept-Encoding" in plain.headers["vary"]
    assert "Accept-Encoding" in packed.headers["vary"]
    # one weak tag in both encodings: each copy is confirmed whatever the caller accepts next time
    assert packed.headers["etag"] == plain.headers["etag"]
    for accepted in (GZIP, PLAIN):
        unchanged = service.get(path, **accepted, **{"If-None-Match": plain.headers["etag"]})
        assert (unchanged.status_code, "content-encoding" in unchanged.headers) == (304, False)
    head = service.client.head(path, headers=service.headers | GZIP)
    assert head.headers["content-length"] == packed.headers["content-length"]
    assert (head.headers["content-encoding"], head.content) == ("gzip", b"")


def test_nothing_else_is_compressed(service):
    """Short bodies, errors, and whatever has secrets, forms or strong tags."""
    posted = service.client.post(
        "/api/v1/webhooks",
        headers=service.headers | GZIP,
        json={
            "endpoint_url": "https://hooks.example.com/x",
            "event_types": ["status.changed"],
            "entity_ids": [f"firm:NO:{number}" for number in range(910_000_000, 910_000_100)],
        },
    )
    assert posted.status_code == 201, posted.text
    long = [posted, service.get(f"/api/v1/webhooks/{posted.json()['id']}", **GZIP)]
    long += [service.get("/api/v1/webhooks", **GZIP), service.client.get("/dashboard/sign-in", headers=GZIP)]
    assert len(posted.content) >= LEAST_COMPRESSED
    errors = [
        service.get(f"{LIST}?q=" + "a" * 900 + "%zz", **GZIP),
        service.get("/api/v1/companies/5599999991", **GZIP),
    ]
    for answer in (*long, *errors):
        assert "content-encoding" not in answer.headers, answer.url


def test_compression_is_repeatable_and_bounded():
    body = b'{"data":[' + b",".join(b'{"id":%d}' % number for number in range(1000)) + b"]}"
    assert gzip_body(body) == gzip_body(body)
    assert gzip.decompress(gzip_body(body)) == body
    assert LEAST_COMPRESSED < MOST_COMPRESSED <= 1 << 20
