"""Profiles over HTTP, against an empty Litestar handler, datasette and roapi on the same rows.

Ours are companies that were never asked for before, so that nothing a worker keeps of earlier answers helps, while
the release is in the system's page cache, where a machine with memory to spare has it. `kept` asks for the same
ones again; `cold` for others after the system was told to drop the file, so that answers are read from the disk.

Servers and load run on one machine over loopback, in alternated rounds of short turns, because machines swing by
half between minutes; ratios are medians over the rounds. Memory is read while the servers run. Does not belong
here: lists and search (`bench_search`). `run` is what `make bench` calls.
"""

import itertools
import os
import random
import statistics
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import api_world
from benchmarks.api_questions import Questions, Row, profile
from benchmarks.api_release import Built, world
from benchmarks.api_servers import HOST, Memory, Server, serving
from benchmarks.load import Answers, measure, percentile

CONNECTIONS = 16
TURNS = 4  # of each server within a round
SERVERS = {
    "ours": "ours",
    "kept": "ours",
    "cold": "ours",
    "empty": "empty",
    "datasette": "datasette",
    "roapi": "roapi",
    "roapi-kv": "roapi",
}
"""What is asked, and the process that answers it. Roapi's key-value store is a hash map of ready JSON in memory,
without keys, quota, tags or log: told as the ceiling."""
REQUESTS = {
    "ours": 9_000,
    "kept": 9_000,
    "cold": 2_000,
    "empty": 12_000,
    "datasette": 1_200,
    "roapi": 200,
    "roapi-kv": 12_000,
}
OTHERWISE = {"kept": "asked for again", "cold": "read from the disk"}
_PIECE = 1 << 22
MOST_SECONDS = 2.0  # a turn of a slow peer is cut to about this
PEERS = {
    "empty": "empty Litestar handler",
    "datasette": "datasette",
    "roapi": "roapi, table by number",
    "roapi-kv": "roapi, key-value store",
}
ASKED = {"empty": ">= 0.4", "datasette": ">= 5", "roapi": "told", "roapi-kv": "told"}
SLOWER = 3.0
"""How many times the empty handler's p99 ours may take."""


@dataclass
class Round:
    """Requests a second, p99 and processor seconds a request of one round, by what was asked."""

    rate: dict[str, float] = field(default_factory=dict)
    p99: dict[str, float] = field(default_factory=dict)
    work: dict[str, float] = field(default_factory=dict)


def run(companies: int = 1_000_000, rounds: int = 5) -> list[dict[str, Any]]:
    """One result per peer, the p99 beside the empty handler's, and what the release took to make and keep."""
    built = world(companies)
    rows = Rows(Questions(built).rows)
    _read_through(built.documents)
    with ExitStack() as stack:
        servers = {which: stack.enter_context(serving(which, built)) for which in dict.fromkeys(SERVERS.values())}
        asking = Asking(servers, rows, built.documents)
        counts = {asked: _warmed(asked, asking) for asked in SERVERS}
        measured = [_round(asking, counts) for _ in range(rounds)]
        memory = {which: server.memory() for which, server in servers.items()}
    results = [_faster(peer, measured, memory, companies) for peer in PEERS]
    results += [_otherwise(asked, measured, companies) for asked in OTHERWISE]
    return [*results, _steadier(measured, companies), *release_results(built)]


class Rows:
    """The companies that are asked for: ours each once, some once more; a peer's by chance."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._new = iter(rows)
        self._chance = random.Random(1)
        self._former: list[Row] = []

    def drawn(self, asked: str, count: int) -> list[Row]:
        if asked == "kept":
            return self._former
        if SERVERS[asked] != "ours":
            return self._chance.choices(self._rows, k=count)
        self._former = list(itertools.islice(self._new, count))
        if len(self._former) < count:
            raise RuntimeError(f"only {len(self._rows)} companies to ask for: measure fewer rounds")
        return self._former


def _read_through(path: Path) -> None:
    """Puts a file into the system's page cache."""
    with path.open("rb", buffering=0) as file:
        while file.read(_PIECE):
            pass


def _dropped(path: Path) -> None:
    """Takes a file out of the system's page cache."""
    with path.open("rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@dataclass(frozen=True, slots=True)
class Asking:
    """The servers, and what they are asked.

    A turn begins with requests that are not counted: a server that was idle while others had their turns starts
    slower, and the rate asked for is that of a server at work. After a turn from the disk the file is read into
    the cache at once, so that no turn of ours follows that pause.
    """

    servers: dict[str, Server]
    rows: Rows
    documents: Path

    def turn(self, asked: str, count: int) -> tuple[Answers, float]:
        """The answers of one turn, and the processor seconds they took the server."""
        server = self.servers[SERVERS[asked]]
        if asked == "cold":
            _dropped(self.documents)
            measured = self._asked(server, asked, count)
            _read_through(self.documents)
            return measured
        if asked != "kept":  # those follow ours, and are to be the same
            self._asked(server, asked, count // 4)
        return self._asked(server, asked, count)

    def _asked(self, server: Server, asked: str, count: int) -> tuple[Answers, float]:
        asks = [profile(asked, row, server.key) for row in self.rows.drawn(asked, count)]
        before = server.worked()
        return measure(HOST, server.port, asks, CONNECTIONS), server.worked() - before


def _warmed(asked: str, asking: Asking) -> int:
    """Requests of one turn, after some that fill caches: as many as asked, fewer of a slow peer."""
    few = max(16, min(300, REQUESTS[asked] // TURNS))
    taken = asking.turn(asked, few)[0].seconds
    return max(CONNECTIONS, min(REQUESTS[asked] // TURNS, int(few * MOST_SECONDS / taken)))


def _round(asking: Asking, counts: dict[str, int]) -> Round:
    """Turns are short, so that a busy moment of the machine meets all alike."""
    told = Round()
    turns = {asked: [] for asked in SERVERS}
    for _ in range(TURNS):
        for asked in SERVERS:
            turns[asked].append(asking.turn(asked, counts[asked]))
    for asked, taken in turns.items():
        answers = [one for one, _ in taken]
        told.work[asked] = sum(work for _, work in taken) / (TURNS * counts[asked])
        told.rate[asked] = TURNS * counts[asked] / sum(one.seconds for one in answers)
        told.p99[asked] = percentile([seconds for one in answers for seconds in one.all()], 0.99)
    return told


def _faster(peer: str, measured: list[Round], memory: dict[str, Memory], companies: int) -> dict[str, Any]:
    ratio = statistics.median(one.rate["ours"] / one.rate[peer] for one in measured)
    asked = ASKED[peer]
    return {
        "name": f"profile, {api_world.written(companies)} companies",
        "against": PEERS[peer],
        "ours_rps": round(statistics.median(one.rate["ours"] for one in measured)),
        "peer_rps": round(statistics.median(one.rate[peer] for one in measured)),
        "ratio": round(ratio, 3),
        "asked": asked,
        "met": ratio >= float(asked.removeprefix(">= ")) if asked.startswith(">") else None,
        "unit": "requests/s",
        "ours_cpu_us": _microseconds(measured, "ours"),
        "peer_cpu_us": _microseconds(measured, peer),
        "memory_mb": memory["ours"].own,
        "peer_memory_mb": memory[SERVERS[peer]].own,
    }


def _otherwise(asked: str, measured: list[Round], companies: int) -> dict[str, Any]:
    return {
        "name": f"profile {OTHERWISE[asked]}, {api_world.written(companies)} companies",
        "against": PEERS["empty"],
        "ours_rps": round(statistics.median(one.rate[asked] for one in measured)),
        "peer_rps": round(statistics.median(one.rate["empty"] for one in measured)),
        "ratio": round(statistics.median(one.rate[asked] / one.rate["empty"] for one in measured), 3),
        "asked": "told",
        "met": None,
        "unit": "requests/s",
        "ours_cpu_us": _microseconds(measured, asked),
        "peer_cpu_us": _microseconds(measured, "empty"),
    }


def _microseconds(measured: list[Round], asked: str) -> float:
    """Processor time of the server for one request."""
    return round(1_000_000 * statistics.median(one.work[asked] for one in measured), 1)


def _steadier(measured: list[Round], companies: int) -> dict[str, Any]:
    ratio = statistics.median(one.p99["ours"] / one.p99["empty"] for one in measured)
    return {
        "name": f"profile p99 at {CONNECTIONS} connections, {api_world.written(companies)} companies",
        "against": PEERS["empty"],
        "ours_ms": round(1000 * statistics.median(one.p99["ours"] for one in measured), 2),
        "peer_ms": round(1000 * statistics.median(one.p99["empty"] for one in measured), 2),
        "ratio": round(ratio, 2),
        "asked": f"<= {SLOWER:g}",
        "met": ratio <= SLOWER,
        "unit": "ms",
    }


def release_results(built: Built) -> list[dict[str, Any]]:
    """What a release of this world weighs and took to make, beside the peers' files of the same rows."""
    told, count = built.told, int(built.told["companies"])
    weight = (told["serving_bytes"] + told["warehouse_bytes"]) / count
    return [
        {
            "name": f"release of {api_world.written(count)} companies, a company",
            "against": "datasette's file, indexed alike",
            "ours_bytes": round(weight),
            "peer_bytes": round(told["datasette_bytes"] / count),
            "ratio": round(weight * count / told["datasette_bytes"], 2),
            "asked": "told",
            "met": None,
            "unit": "bytes",
            "serving_bytes": told["serving_bytes"],
            "warehouse_bytes": told["warehouse_bytes"],
        },
        {
            "name": f"publishing {api_world.written(count)} companies in full",
            "against": "filling datasette's and roapi's files",
            "ours_s": told["publish_s"],
            "peer_s": told["peers_s"],
            "ratio": round(told["publish_s"] / told["peers_s"], 2),
            "asked": "told",
            "met": None,
            "unit": "s",
            "history_s": told["history_s"],
            "peak_mb": told["publish_peak_mb"],
        },
    ]


if __name__ == "__main__":
    for result in run(20_000, 1):
        print(result)
