"""Profiles while lists are hammered, and what memory a worker holds after it.

Does not belong here: lists by themselves (`bench_search`), profiles by themselves (`bench_api`).
"""

import json
import random
import statistics
from collections.abc import Iterator
from typing import Any

from benchmarks import api_world
from benchmarks.api_questions import Questions, profile
from benchmarks.api_release import world
from benchmarks.api_servers import HOST, Server, serving
from benchmarks.load import Answers, Ask, Client, measure, percentile, running
from benchmarks.load import run as running_clients

HAMMERING = 16
CONNECTIONS = 16
PROFILES = 6_000
SLOWER = 3.0
MOST_MB = 300


def run(companies: int = 1_000_000, rounds: int = 5) -> list[dict[str, Any]]:
    """How much slower the slowest profiles get, then the memory of the process."""
    built = world(companies)
    questions = Questions(built)
    chance = random.Random(3)
    with serving("ours", built) as server:
        lists = [
            one.ask(server.key) for one in (*questions.single(10), *questions.combined(100), *questions.searches(100))
        ]
        chance.shuffle(lists)
        measure(HOST, server.port, lists[:50], 1)
        calm, busy, hammered = [], [], Answers(refusing=(b"503",))
        for _ in range(rounds):
            profiles = [profile("ours", row, server.key) for row in chance.choices(questions.rows, k=PROFILES)]
            calm.append(measure(HOST, server.port, profiles, CONNECTIONS))
            busy.append(_beside_lists(server, profiles, lists, hammered))
        memory = server.memory()
    ratio = statistics.median(
        percentile(one.all(), 0.99) / percentile(other.all(), 0.99) for one, other in zip(busy, calm, strict=True)
    )
    size = api_world.written(companies)
    return [
        {
            "name": f"profile p99 while {HAMMERING} clients hammer lists, {size} companies",
            "against": "without them",
            "ours_ms": round(1000 * statistics.median(percentile(one.all(), 0.99) for one in busy), 2),
            "peer_ms": round(1000 * statistics.median(percentile(one.all(), 0.99) for one in calm), 2),
            "ratio": round(ratio, 2),
            "asked": f"<= {SLOWER:g}",
            "met": ratio <= SLOWER,
            "unit": "ms",
            "lists_a_second": round(hammered.count / sum(one.seconds for one in busy)),
            "lists_refused": hammered.refused,
            "profiles_a_second": round(len(busy) * PROFILES / sum(one.seconds for one in busy)),
            "profiles_a_second_without": round(len(calm) * PROFILES / sum(one.seconds for one in calm)),
            "memory_mb": memory.own,
        },
        {
            "name": f"memory of a worker after all that, {size} companies",
            "ours_mb": memory.own,
            "asked": f"<= {MOST_MB} MiB",
            "met": memory.own <= MOST_MB,
            "unit": "MiB",
            "shared_files_mb": memory.files,
        },
    ]


def _beside_lists(server: Server, profiles: list[Ask], lists: list[Ask], hammered: Answers) -> Answers:
    """All profiles, while other connections ask lists until the last of them is answered."""
    answers, start = Answers(), random.Random(hammered.count).randrange(len(lists))

    def hammering() -> Iterator[Ask]:
        turn = 0
        while answers.count < len(profiles):
            yield lists[(start + turn) % len(lists)]
            turn += 1

    answers.seconds = running(
        running_clients(
            HOST, server.port, Client(profiles, answers.see, CONNECTIONS), Client(hammering(), hammered.see, HAMMERING)
        )
    )
    return answers


if __name__ == "__main__":
    print(json.dumps(run(20_000, 2), indent=2))
