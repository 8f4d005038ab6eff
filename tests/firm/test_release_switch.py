"""Releases are switched while 2,000 requests a second are offered: none fails, none is torn between two of them.

Every body must be wholly what the release named in its `Firm-Release` header says, and carry the tag of its bytes.
Servers are genuine processes; older releases are pruned meanwhile.
"""

import hashlib
import itertools
import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from api.http.pagination.cursors import PERIOD_SECONDS
from benchmarks.load import Ask, Client, run, running
from tests.firm.conftest import Firm
from tests.firm.switching import Expectations, Switching

pytestmark = pytest.mark.slow

OFFERED = 2_000  # requests a second; how many are reached is told, never asserted
CONNECTIONS = 32
PATIENCE = 60
CURSOR = re.compile(rb',"next_cursor":(?:null|"[^"]*")')


class Unlimited(Firm):
    """An installation whose accounts may ask as fast as they can, served by some workers."""

    workers = 1
    switches = 8

    @property
    def environment(self) -> dict[str, str]:
        generous = {"monthly_requests": 10**9, "burst_per_second": 10**6, "burst_capacity": 10**6}
        tiers = self.data.parent / "tiers.json"
        clients = {"failed_authentications_per_second": 10**6}
        tiers.write_text(json.dumps({"tiers": {"business": generous}, "clients": clients}))
        return {
            **super().environment,
            "FIRM_TIERS": str(tiers),
            "FIRM_SERVE_WORKERS": str(self.workers),
            "FIRM_LIST_WAIT_SECONDS": str(PATIENCE),  # lists on a busy machine wait rather than be refused
        }


class TwoWorkers(Unlimited):
    workers = 2
    switches = 4


@dataclass
class Answers:
    """What came back: one body and tag for each path and release, or it is torn; who waits for a release is told."""

    bodies: dict[tuple[str, int], tuple[str, bytes]] = field(default_factory=dict)
    unchanged: set[tuple[str, int, str]] = field(default_factory=set)
    count: Counter[str] = field(default_factory=Counter)
    seen: set[int] = field(default_factory=set)
    is_over: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def see(self, ask: Ask, head: bytes, body: bytes, seconds: float) -> None:
        lines = (line.partition(": ") for line in head.decode().split("\r\n")[1:-2])
        headers = {name.lower(): value for name, _, value in lines}
        status = head[9:12].decode()
        self.count[status] += 1
        assert status in ("200", "304"), (ask, head, body)
        release, tag = int(headers["firm-release"]), headers["etag"]
        if status == "304":
            self.unchanged.add((ask.label, release, tag))
        else:
            known = self.bodies.setdefault((ask.label, release), (tag, body))
            assert (tag, CURSOR.sub(b"", body)) == (known[0], CURSOR.sub(b"", known[1])), (ask, known, body)
        if release not in self.seen:
            with self.changed:
                self.seen.add(release)
                self.changed.notify_all()

    def wait_for(self, release: int) -> None:
        with self.changed:
            self.changed.wait_for(lambda: release in self.seen or self.is_over, PATIENCE)
            assert release in self.seen, f"release {release} is not served"

    def end(self) -> None:
        """Nobody will answer any more."""
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    def tag(self, path: str) -> str | None:
        """The newest tag of a path, as a caller would send it back."""
        found = [self.bodies[path, release] for release in sorted(self.seen) if (path, release) in self.bodies]
        return found[-1][0] if found else None


def asking(paths: list[str], key: str, answers: Answers, done: threading.Event) -> Iterator[Ask]:
    """Profiles four times in five, a quarter of everything only if it has changed, until it is done."""
    chance = random.Random(11)
    profiles = [path for path in paths if path.count("/") == 4 and "?" not in path]
    others = [path for path in paths if path not in profiles]
    for turn in itertools.count():
        if done.is_set():
            return
        path = chance.choice(others if turn % 5 == 0 else profiles)
        tag = answers.tag(path) if turn % 4 == 0 else None
        known = f"If-None-Match: {tag}\r\n" if tag else ""
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n{known}\r\n"
        yield Ask("switch", head.encode(), label=path)


class Publisher(threading.Thread):
    """Publishes release after release, each as soon as the one before it has been answered from."""

    def __init__(self, world: Switching, answers: Answers, switches: int) -> None:
        super().__init__()
        self.world, self.answers, self.switches = world, answers, switches
        self.done = threading.Event()
        self.trouble: BaseException | None = None

    def run(self) -> None:
        try:
            for _ in range(self.switches):
                self.answers.wait_for(self.world.release)
                self.world.publish()
            self.answers.wait_for(self.world.release)
        except BaseException as trouble:  # noqa: BLE001 - told to the test, which waits
            self.trouble = trouble
        finally:
            self.done.set()


@pytest.mark.parametrize("kind", [Unlimited, TwoWorkers])
def test_no_answer_fails_or_is_torn_while_releases_are_switched(
    tmp_path: Path, kind: type[Unlimited], capsys: pytest.CaptureFixture[str]
) -> None:
    world, answers = Switching(tmp_path / "data"), Answers()
    world.publish()
    expected, publisher = world.expectations(), Publisher(world, answers, kind.switches)
    with kind(tmp_path / "data").serving() as client:
        key = client.headers["Authorization"].removeprefix("Bearer ")
        asks = asking(list(expected), key, answers, publisher.done)
        publisher.start()
        try:
            load = Client(asks, answers.see, CONNECTIONS, OFFERED)
            seconds = running(run("127.0.0.1", client.base_url.port or 0, load))
        finally:
            answers.end()
            publisher.join()
    assert publisher.trouble is None, publisher.trouble
    with capsys.disabled():
        print(f" {answers.count.total() / seconds:.0f}/s of {OFFERED}/s", end="")  # noqa: T201
    assert answers.seen == set(range(1, kind.switches + 2))
    assert world.kept() == [kind.switches, kind.switches + 1]
    check(answers, expected)


def tagged_bytes(body: bytes) -> list[bytes]:
    """What the tag of a body is made of: of one with a cursor, with this or the former half of its lifetime."""
    without = CURSOR.sub(b"", body)
    if b'"next_cursor":"' not in body:
        return [without]
    period = int(time.time()) // PERIOD_SECONDS
    return [without + b"%d" % one for one in (period, period - 1)]


def check(answers: Answers, expected: Expectations) -> None:
    """Every body is its release's and no other's; every tag is that of its body."""
    for (path, release), (tag, body) in answers.bodies.items():
        expected[path](release, json.loads(body))
        assert tag in {f'W/"{hashlib.sha256(tagged).hexdigest()[:16]}"' for tagged in tagged_bytes(body)}
    for path, release, tag in answers.unchanged:
        assert tag == answers.bodies.get((path, release), (tag, b""))[0]
    tags = Counter((path, tag) for (path, _), (tag, _) in answers.bodies.items())
    assert max(tags.values()) == 1, "two releases that differ have one tag"
    assert answers.unchanged, "nothing was asked for conditionally"
