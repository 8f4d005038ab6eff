"""Search and filtered lists over HTTP, one at a time; beside datasette and roapi where they can say the same.

Does not belong here: the questions (`api_questions`), their wording for peers (`api_dialects`), profiles alone
(`bench_api`), lists beside profiles (`bench_overload`).
"""

import json
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks import api_dialects, api_world
from benchmarks.api_questions import SORTS, TYPO, Question, Questions
from benchmarks.api_release import world
from benchmarks.api_servers import HOST, Server, serving
from benchmarks.load import Answers, Ask, Client, measure, percentile, running
from benchmarks.load import run as running_clients

LARGE = 5_000_000  # from so many companies on, what is asked of the full scale holds
PEERS: dict[str, Callable[[Question], Ask]] = {"datasette": api_dialects.datasette, "roapi": api_dialects.roapi}
PEER_QUESTIONS = 60
DEEP_PAGES = 20
SLOWEST = 10
MOST_MS: dict[str, tuple[float | None, float | None]] = {
    "q alone": (30, 60),
    "q with filters": (150, None),
    "filtered lists": (100, 400),
}
"""p99 asked at 1 M companies and at 10 M."""
MEDIAN_MS = 5.0


@dataclass(frozen=True, slots=True)
class Sized:
    """The service over a world, and how results of it are told."""

    server: Server
    companies: int

    def bound(self, name: str) -> float | None:
        return MOST_MS[name][self.companies >= LARGE]

    def result(self, name: str, share: float, answers: Answers, bound: float | None) -> dict[str, Any]:
        taken = 1000 * percentile(answers.all(), share)
        return {
            "name": f"{name}, {api_world.written(self.companies)} companies, p{100 * share:.0f}",
            "ours_ms": round(taken, 2),
            "asked": "told" if bound is None else f"<= {bound:g} ms",
            "met": None if bound is None else taken <= bound,
            "unit": "ms",
            "memory_mb": self.server.memory().own,
        }


def run(companies: int = 1_000_000, searches: int = 1_000) -> list[dict[str, Any]]:
    """Latencies by class of question, then the same questions beside each peer."""
    built = world(companies)
    questions = Questions(built)
    classes = {
        "q alone": questions.searches(searches),
        "q with filters": questions.narrowed(searches // 2),
        "filtered lists": [*questions.single(searches // 40), *questions.combined(searches // 4)],
    }
    results = []
    with serving("ours", built) as server:
        ours = Sized(server, companies)
        _answers(ours, questions.combined(30))  # warm
        for name, asked in classes.items():
            results += _told(ours, name, asked)
        results.append(_deep(ours, "q with filters", [{"q": word} for word in questions.common[:3]]))
        results.append(_deep(ours, "filtered lists", [{"status": "active"}, {"country": "UK"}, {}]))
        for peer in PEERS:
            with serving(peer, built) as other:
                results += [_beside(ours, other, name, asked) for name, asked in classes.items()]
    return results


def _answers(ours: Sized, asked: list[Question]) -> Answers:
    return measure(HOST, ours.server.port, [one.ask(ours.server.key) for one in asked], 1)


def _told(ours: Sized, name: str, asked: list[Question]) -> list[dict[str, Any]]:
    """The median and p99 of a class; with them the figures of each kind, and what took longest."""
    found: dict[str, list[bool]] = {}
    answers, questions = Answers(), iter(asked)
    current: list[Question] = []

    def asks() -> Iterator[Ask]:
        for question in questions:
            current[:] = [question]
            yield question.ask(ours.server.key)

    def see(ask: Ask, head: bytes, body: bytes, seconds: float) -> None:
        answers.see(ask, head, body, seconds)
        if current[0].company_id is not None:
            is_there = f'"{current[0].company_id}"'.encode() in body
            found.setdefault(ask.kind, []).append(is_there)

    running(running_clients(HOST, ours.server.port, Client(asks(), see, 1)))
    median = ours.result(name, 0.5, answers, MEDIAN_MS if name == "q alone" and ours.companies < LARGE else None)
    most = ours.result(name, 0.99, answers, ours.bound(name))
    most["kinds"] = {
        kind: {"count": len(taken), "p50_ms": _ms(taken, 0.5), "p99_ms": _ms(taken, 0.99)}
        for kind, taken in sorted(answers.taken.items())
    }
    most["on_first_page"] = {kind: round(statistics.mean(seen), 3) for kind, seen in sorted(found.items())}
    most["slowest"] = [
        f"{1000 * seconds:.1f} ms [{kind}] {label}"
        for seconds, kind, label in sorted(answers.slowest, reverse=True)[:SLOWEST]
    ]
    return [median, most]


def _ms(taken: list[float], share: float) -> float:
    return round(1000 * percentile(taken, share), 2)


def _deep(ours: Sized, name: str, wide: list[dict[str, str]]) -> dict[str, Any]:
    """Pages far behind the first, each from the cursor of the one before; the largest pages there are."""
    answers, firsts, cursors = Answers(), Answers(), []
    asked = [
        Question(f"page 2 to {DEEP_PAGES}", (*one.items(), *_sort(sort, one), ("limit", "100")))
        for one in wide
        for sort in SORTS
    ]

    def asks() -> Iterator[Ask]:
        for question in asked:
            cursors[:] = [None]
            for _ in range(DEEP_PAGES):
                if cursors:
                    yield question.ask(ours.server.key, cursors.pop())

    def see(ask: Ask, head: bytes, body: bytes, seconds: float) -> None:
        (answers if b"cursor=" in ask.request else firsts).see(ask, head, body, seconds)
        cursor = json.loads(body)["next_cursor"]
        cursors[:] = [cursor] if cursor else []

    running(running_clients(HOST, ours.server.port, Client(asks(), see, 1)))
    title = f"{name}, pages of 100, 2nd to {DEEP_PAGES}th"
    return ours.result(title, 0.99, answers, ours.bound(name)) | {
        "slowest": [
            f"{1000 * seconds:.1f} ms {label}" for seconds, _, label in sorted(answers.slowest, reverse=True)[:SLOWEST]
        ]
    }


def _sort(sort: str, asked: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """`sort` where it is not the default of the question."""
    return (("sort", sort),) if sort else ((("sort", "relevance"),) if "q" in asked else ())


def _beside(ours: Sized, other: Server, name: str, asked: list[Question]) -> dict[str, Any]:
    """The same questions, one by one in turn to each; medians, because a peer may need seconds for some."""
    told, taken = Answers(), Answers(refusing=(b"400", b"500", b"503"))
    chosen = [one for one in asked if one.kind != TYPO][:PEER_QUESTIONS]
    for question in chosen:
        told_now = measure(HOST, ours.server.port, [question.ask(ours.server.key)], 1)
        told.take(told_now)
        running(running_clients(HOST, other.port, Client([PEERS[other.which](question)], taken.see, 1)))
    mine, theirs = percentile(told.all(), 0.5), percentile(taken.all(), 0.5)
    return {
        "name": f"{name}, {api_world.written(ours.companies)} companies, p50 without typos",
        "against": other.which,
        "questions": len(chosen),
        "ours_ms": round(1000 * mine, 2),
        "peer_ms": round(1000 * theirs, 2),
        "ratio": round(mine / theirs, 3),
        "asked": "told",
        "met": None,
        "unit": "ms",
        "ours_p99_ms": _ms(told.all(), 0.99),
        "peer_p99_ms": _ms(taken.all(), 0.99),
        "peer_refused": taken.refused,
        "memory_mb": ours.server.memory().own,
        "peer_memory_mb": other.memory().own,
    }


if __name__ == "__main__":
    print(json.dumps(run(20_000, 200), indent=2, ensure_ascii=False))
