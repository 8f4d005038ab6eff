"""Profile requests per second through the whole route, against an empty Litestar handler and datasette.

Servers and load run on one machine over loopback, in alternated rounds, because machines swing by half
between minutes; ratios are medians over the rounds. `run` is what `make bench` calls.
"""

import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import api_world  # noqa: E402
from benchmarks.load import measure  # noqa: E402

COMPANIES = 20_000
REQUESTS = {"ours": 9_000, "empty": 12_000, "datasette": 1_200}
CONNECTIONS = 16
TURNS = 6  # of each server within a round
ASKED = {"empty": 0.5, "datasette": 4.0}
NAMES = {
    "empty": "profile over HTTP against an empty Litestar handler",
    "datasette": "profile over HTTP against datasette on the same rows",
}


@dataclass
class Server:
    which: str
    port: int
    key: str

    def requests(self, count: int, chance: random.Random) -> list[bytes]:
        """Bounded: `count` requests, each for a company by chance."""
        return [self._request(chance.randrange(COMPANIES)) for _ in range(count)]

    def _request(self, index: int) -> bytes:
        number = api_world.org_number(index)
        path = {
            "ours": f"/api/v1/companies/{number}",
            "empty": "/",
            "datasette": f"/peer/companies/{number}.json?_shape=array",
        }[self.which]
        key = f"Authorization: Bearer {self.key}\r\n" if self.which == "ours" else ""
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{key}Accept: */*\r\n\r\n".encode()

    def seconds(self, count: int, chance: random.Random) -> float:
        """How long it takes to answer `count` requests."""
        return measure("127.0.0.1", self.port, self.requests(count, chance), CONNECTIONS).seconds


@contextmanager
def serving(which: str, folder: Path) -> Iterator[Server]:
    """A server process; it ends with the block, or with this process."""
    script = Path(__file__).with_name("api_servers.py")
    process = subprocess.Popen(
        [sys.executable, str(script), which, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        port, key = process.stdout.readline().split()
        yield Server(which, int(port), key.decode())
    finally:
        process.communicate(timeout=20)


def run(rounds: int = 5) -> list[dict[str, Any]]:
    """One result per peer; `ratio` is the median of the rounds' ratios."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        prepare(Path(folder))
        servers = [stack.enter_context(serving(which, Path(folder))) for which in REQUESTS]
        chance = random.Random(1)
        for server in servers:  # warm: caches, key look-up
            server.seconds(200, chance)
        measured = [_round(servers, chance) for _ in range(rounds)]
    return [_result(peer, measured) for peer in ASKED]


def prepare(folder: Path) -> None:
    companies = api_world.rows(COMPANIES)
    api_world.publish(folder, companies)
    peer_database(folder / "peer.db", companies)


def peer_database(path: Path, companies: pl.DataFrame) -> None:
    """The columns of a profile as a table that datasette serves by primary key."""
    columns = ["org_number", *[name for name in _PROFILE if name != "org_number"]]
    with sqlite3.connect(path) as connection:
        connection.execute(
            f"CREATE TABLE companies ({', '.join(columns)}, PRIMARY KEY (org_number)) WITHOUT ROWID"
        )
        unknown = [pl.lit(None).alias(name) for name in _PROFILE if name.startswith("latest_")]
        whole = companies.with_columns(pl.col("registered_date").cast(pl.String), *unknown)
        values = whole.select(columns).rows()
        connection.executemany(f"INSERT INTO companies VALUES ({', '.join('?' * len(columns))})", values)
    connection.close()


_PROFILE = (
    "company_id",
    "org_number",
    "name",
    "country",
    "industry_code",
    "industry_label",
    "municipality",
    "county",
    "registered_date",
    "status",
    "is_listed",
    "latest_revenue",
    "latest_currency",
    "latest_year",
)


def _round(servers: list[Server], chance: random.Random) -> dict[str, float]:
    """Requests per second of each; turns are short, so that a busy moment of the machine meets all alike."""
    seconds = dict.fromkeys(REQUESTS, 0.0)
    for _ in range(TURNS):
        for server in servers:
            seconds[server.which] += server.seconds(REQUESTS[server.which] // TURNS, chance)
    return {which: count / seconds[which] for which, count in REQUESTS.items()}


def _result(peer: str, measured: list[dict[str, float]]) -> dict[str, Any]:
    return {
        "name": NAMES[peer],
        "ours_rps": round(statistics.median(one["ours"] for one in measured)),
        "peer_rps": round(statistics.median(one[peer] for one in measured)),
        "ratio": round(statistics.median(one["ours"] / one[peer] for one in measured), 3),
        "asked": ASKED[peer],
        "unit": "requests/s",
    }


if __name__ == "__main__":
    for result in run():
        print(result)
