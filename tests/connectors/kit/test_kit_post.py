"""Questions that are sent along: paced, patient and checked as every other, and never sent on elsewhere."""

import pytest

from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import RequestRejectedError, SourceUnavailableError, UnexpectedBodyError
from tests.connectors.kit.conftest import Answer, Registry

URL = "https://data.example.no/question"


def test_what_is_sent_arrives_with_its_type(http: HttpClient, registry: Registry) -> None:
    registry.answers = [Answer(b'{"a":1}')]
    fetched = http.post(URL, b'{"q":2}', "application/json", headers={"Authorization": "Bearer x"})
    assert fetched.read() == b'{"a":1}'
    ((path, headers),) = registry.asked
    assert (path, headers["content-type"], headers["authorization"]) == ("/no/question", "application/json", "Bearer x")
    assert registry.sent == [b'{"q":2}']


def test_a_busy_answer_is_asked_again_with_the_same_content(http: HttpClient, registry: Registry) -> None:
    registry.answers = [Answer(status=503), Answer(b"{}")]
    http.post(URL, b"q", "text/plain")
    assert registry.sent == [b"q", b"q"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_what_is_sent_follows_no_redirect(http: HttpClient, registry: Registry, status: int) -> None:
    registry.answers = [Answer(status=status, headers={"Location": "/no/elsewhere"})]
    with pytest.raises(RequestRejectedError, match="redirect of a POST"):
        http.post(URL, b"secret", "text/plain")
    assert len(registry.asked) == 1


def test_statuses_and_bodies_are_judged_as_ever(http: HttpClient, registry: Registry) -> None:
    registry.answers = [Answer(b"<html>", 200)]
    with pytest.raises(UnexpectedBodyError):
        http.post(URL, b"q", "text/plain")
    registry.answers = [Answer(b"{}", 401)]
    with pytest.raises(RequestRejectedError):
        http.post(URL, b"q", "text/plain")
    assert http.post(URL, b"q", "text/plain", allow=(401,)).status == 401
    registry.answers = [Answer(status=503)]
    with pytest.raises(SourceUnavailableError):
        http.post(URL, b"q", "text/plain")


def test_hosts_with_credentials_are_known(http: HttpClient) -> None:
    assert not http.has_credentials("https://elsewhere.example/")
