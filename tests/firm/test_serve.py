"""The service as a process: before the first release, with a wrong key, over a rollback, and how it ends."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sandbox import World, write_days
from tests.firm.conftest import ROOT, Firm, of_release, wait_until_ready
from tests.firm.inside import Inside

PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def unpublished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a running service that has no release yet."""
    with Firm(tmp_path_factory.mktemp("unpublished") / "data").serving() as client:
        yield client


def test_serve_with_nothing_published_answers_503_and_says_so(unpublished: httpx.Client) -> None:
    answer = unpublished.get("/api/v1/companies")
    assert (answer.status_code, answer.headers["content-type"]) == (503, PROBLEM)
    assert answer.headers["retry-after"] == "30"
    assert answer.json()["status"] == 503
    assert "published" in answer.json()["detail"]


def test_serve_with_a_wrong_key_answers_401(unpublished: httpx.Client) -> None:
    for given in ("Bearer fd_live_0000000000000000000000000000", "Bearer", "Basic eDp5", ""):
        answer = unpublished.get("/api/v1/companies", headers={"Authorization": given})
        assert (answer.status_code, answer.headers["content-type"]) == (401, PROBLEM)
        assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.slow
def test_a_rollback_reaches_the_running_service(firm: Firm, tmp_path: Path) -> None:
    days = write_days(World(seed=3, companies=60, days=2, markets=("NO",)), tmp_path / "days")
    inside = Inside(firm.data)
    for day in days:
        inside.ingest(day, "no")
    with firm.serving() as client:
        before = client.get("/api/v1/companies?limit=100")
        assert before.headers["Firm-Release"] == "2"
        inside.run("release", "rollback", "1")
        after = of_release(client, "3")
        # the company that the second day brought is gone again, its number unknown
        gone = {item["id"] for item in before.json()["data"]} - {item["id"] for item in after.json()["data"]}
        assert len(gone) == 1
        assert client.get(f"/api/v1/companies/{gone.pop()}").status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_quietly_when_it_is_told_to(ending: signal.Signals, firm: Firm) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    service = subprocess.Popen(
        [sys.executable, "-m", "firm", "serve", "--port", str(port)],
        cwd=ROOT,
        env=firm.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            wait_until_ready(client, service)
        service.send_signal(ending)
        _, err = service.communicate(timeout=30)
    finally:
        service.kill()
        service.wait()
    assert "Traceback" not in err, err
    assert service.returncode == 0, err


@pytest.mark.slow
def test_a_port_that_is_taken_is_said(firm: Firm) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = firm.run("serve", "--port", str(port), check=False)
    assert done.returncode == 1
    told = f"firm: cannot listen on 127.0.0.1 port {port} (Address already in use): choose another"
    assert told in done.stderr
    assert "Traceback" not in done.stderr, done.stderr
