"""The service follows a new release while it answers: no failed request, no answer of two releases."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.firm.conftest import Firm, of_release
from tests.firm.two_markets import two_markets

pytestmark = pytest.mark.slow
BREATH = 0.005  # seconds between two requests of one client: asked without a break, the ingest itself hardly goes on


def test_requests_go_on_while_a_release_is_published(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    world = two_markets(tmp_path_factory)
    firm = Firm(world.loaded.copy(tmp_path / "data").data)
    answers: Counter[tuple[int, str]] = Counter()
    bodies: dict[tuple[str, str], bytes] = {}
    torn: list[str] = []
    stop = threading.Event()

    def hammer(client: httpx.Client, companies: list[dict[str, str]]) -> None:
        while not stop.is_set():
            for number in (company["id"] for company in companies):
                answer = client.get(f"/api/v1/companies/{number}")
                release = answer.headers.get("Firm-Release", "none")
                answers[answer.status_code, release] += 1
                if bodies.setdefault((number, release), answer.content) != answer.content:
                    torn.append(number)
                time.sleep(BREATH)

    with firm.serving() as client:
        listed = client.get("/api/v1/companies", params={"limit": "50"}).json()["data"]
        with ThreadPoolExecutor(3) as callers:
            asked = [callers.submit(hammer, client, listed[start::3]) for start in range(3)]
            try:
                for day in world.days[1:]:
                    firm.ingest(day)
                of_release(client, "3")
            finally:
                stop.set()
        for one in asked:
            one.result()
    assert torn == []
    assert {status for status, _ in answers} == {200}
    assert {release for _, release in answers} >= {"1", "2"}
