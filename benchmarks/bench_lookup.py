"""Look-ups of 500 items and suggestions over HTTP, one request at a time.

Does not belong here: the world (`api_release`), the rows that questions are drawn from (`api_questions`), search
(`bench_search`).
"""

import json
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from benchmarks import api_world
from benchmarks.api_questions import Questions, Row, get
from benchmarks.api_release import world
from benchmarks.api_servers import HOST, Server, serving
from benchmarks.load import Answers, Ask, measure, percentile

ITEMS = 500
LARGE = 5_000_000  # from so many companies on, the bounds of suggestions hold
LOOKUP_MS = 250.0
SUGGEST_MS = (3.0, 15.0)  # median and p99
_LEFT_OUT = 3  # of so many names one is asked without its last word, one in capitals, one as it is


def run(companies: int = 1_000_000, requests: int = 60, typed: int = 1_000) -> list[dict[str, Any]]:
    """Latencies of look-ups by number, by name and of names that nobody has; of suggestions as a name is typed."""
    built = world(companies)
    questions = Questions(built)
    with serving("ours", built) as server:
        kinds = {
            "by number": [[_by_number(questions.row()) for _ in range(ITEMS)] for _ in range(requests)],
            "by name": [[_by_name(questions.row(), place) for place in range(ITEMS)] for _ in range(requests)],
            "names of nobody": [[_of_nobody(questions.row()) for _ in range(ITEMS)] for _ in range(requests)],
        }
        results = [_looked_up(server, companies, kind, bodies) for kind, bodies in kinds.items()]
        return results + _suggested(server, companies, questions, typed)


def _by_number(row: Row) -> dict[str, str]:
    return {"id": str(row["company_id"])}


def _by_name(row: Row, place: int) -> dict[str, str]:
    name, country = str(row["name"]), str(row["country"])
    spelled = (name, name.upper(), name.rpartition(" ")[0] or name)[place % _LEFT_OUT]
    return {"name": spelled, "country": country}


def _of_nobody(row: Row) -> dict[str, str]:
    """A name with one letter changed: candidates one typo away are looked for."""
    name = str(row["name"])
    return {"name": f"{name[:2]}q{name[3:]}", "country": str(row["country"])}


def _looked_up(server: Server, companies: int, kind: str, bodies: list[list[dict[str, str]]]) -> dict[str, Any]:
    asks = [_post(kind, server.key, items) for items in bodies]
    measure(HOST, server.port, asks[:5], 1)  # warm
    worked = server.worked()
    answers = measure(HOST, server.port, asks, 1)
    taken = 1000 * percentile(answers.all(), 0.99)
    return {
        "name": f"look-up of {ITEMS} items {kind}, {api_world.written(companies)} companies, p99",
        "ours_ms": round(taken, 2),
        "p50_ms": round(1000 * percentile(answers.all(), 0.5), 2),
        "processor_ms": round(1000 * (server.worked() - worked) / len(asks), 2),
        "asked": f"<= {LOOKUP_MS:g} ms",
        "met": taken <= LOOKUP_MS,
        "unit": "ms",
        "memory_mb": server.memory().own,
    }


def _post(kind: str, key: str, items: list[dict[str, str]]) -> Ask:
    body = json.dumps({"items": items}).encode()
    head = (
        f"POST /api/v1/companies/lookup HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return Ask(kind, head.encode() + body, b'"match":')


def _suggested(server: Server, companies: int, questions: Questions, typed: int) -> list[dict[str, Any]]:
    asks = list(_typed_letters(server.key, questions, typed))
    measure(HOST, server.port, asks[:100], 1)  # warm
    worked = server.worked()
    answers: Answers = measure(HOST, server.port, asks, 1)
    spent = round(1000 * (server.worked() - worked) / len(asks), 2)
    results = []
    for share, bound in zip((0.5, 0.99), SUGGEST_MS, strict=True):
        taken = 1000 * percentile(answers.all(), share)
        results.append(
            {
                "name": f"suggestions while typing, {api_world.written(companies)} companies, p{100 * share:.0f}",
                "ours_ms": round(taken, 2),
                "processor_ms": spent,
                "asked": f"<= {bound:g} ms at {api_world.written(10_000_000)}",
                "met": taken <= bound if companies >= LARGE else None,
                "unit": "ms",
                "memory_mb": server.memory().own,
            }
        )
    return results


def _typed_letters(key: str, questions: Questions, count: int) -> Iterator[Ask]:
    """Names, letter by letter, as people type them: of each some beginning."""
    chance = random.Random(3)
    for _ in range(count):
        name = str(questions.row()["name"])
        text = name[: chance.randint(1, min(len(name), 20))].strip() or name
        yield get("typed", f"/api/v1/companies/suggest?{urlencode({'q': text})}", key, b'"data":[', text)


if __name__ == "__main__":
    print(json.dumps(run(20_000, 5, 200), indent=2, ensure_ascii=False))
