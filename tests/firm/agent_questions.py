"""Questions that an agent may be asked of the lived world: how it finds the answer by the tools, and what is true.

The truth is the plan of the world (`sandbox.expected`), not what is served.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox import expected

Facts = Mapping[str, Any]
Seen = list[dict[str, Any]]
"""The answers of the calls so far."""
Call = tuple[str, Callable[[Facts, Seen], dict[str, Any]]]


class Truth:
    """The plan of the world on its last day."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.days: list[str] = told["days"]
        self.states = expected.expected_on_day(told, self.days[-1])
        self.events = expected.truth_events(told)
        self.relations = [row for row in told["relations"] if row["is_line"]]

    def company(self, market: str, chosen: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Facts of the first company of a market of whose state something holds."""
        return next(_facts(one) for one in self.states.values() if _market(one) == market and chosen(one))

    def event(self, event_type: str, market: str, chosen: Callable[[dict[str, Any]], Any] = bool) -> dict[str, Any]:
        """Facts of the company of the first such event, and the event's data."""
        of_type = [one for one in self.events if (one["event_type"], one["company_id"][5:7]) == (event_type, market)]
        once = [one for one in of_type if sum(one["company_id"] == other["company_id"] for other in of_type) == 1]
        data = next(one["data"] for one in once if chosen(one["data"]))
        return _facts(self.states[data["company_id"]]) | {"event": data}

    def related(self, chosen: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Facts of the company that the first such relation holds, and of its holder."""
        row = next(one for one in self.relations if chosen(one))
        return _facts(self.states[row["held"]]) | {"row": row, "holder": self.states[row["holder"]]["profile"]["name"]}


def _market(state: dict[str, Any]) -> str:
    return state["profile"]["country"]


def _facts(state: dict[str, Any]) -> dict[str, Any]:
    return state["profile"] | {"figures": state["financials"], "owners": state["owners"]}


@dataclass(frozen=True)
class Question:
    """A question in words, whose gaps are facts.

    facts: of whom it is asked. calls: those of the tools, each made from the facts and the answers before. answer: what
    an agent reads out of the answers. expected: what is true. cited: the rows that the answer is cited by.
    """

    words: str
    facts: Callable[[Truth], Facts]
    calls: tuple[Call, ...]
    answer: Callable[[Facts, Seen], Any]
    expected: Callable[[Facts, Truth], Any]
    cited: Callable[[Facts, Seen], Iterable[dict[str, Any]]]


def own(row: dict[str, Any], figure: str) -> Any:
    return row["period_type"] == "annual" and row[figure] is not None and not row["is_consolidated"]


def has(figure: str) -> Callable[[dict[str, Any]], Any]:
    """Whose newest accounts are the company's own, with such a figure."""
    return lambda one: (
        one["financials"]
        and own(one["financials"][0], figure)
        and not any(row["is_consolidated"] for row in one["financials"])
    )


def search(facts: Facts, seen: Seen) -> dict[str, Any]:
    return {"query": facts["name"], "country": facts["country"], "limit": 3}


def found(facts: Facts, seen: Seen) -> str:
    """The id of the company by that name, as the search gave it."""
    return next(one["id"] for one in seen[0]["data"] if one["name"] == facts["name"])


def ask(tool: str, **given: Any) -> Call:
    return tool, lambda facts, seen: {"company": found(facts, seen), **given}


FIND: Call = ("search_companies", search)


def first(facts: Facts, seen: Seen) -> list[dict[str, Any]]:
    return seen[-1]["data"][:1]


def answered(facts: Facts, seen: Seen) -> list[dict[str, Any]]:
    return [seen[-1]]


def figure(name: str, market: str) -> Question:
    return Question(
        f"What was the {name} of {{name}} in its newest annual accounts?",
        lambda truth: truth.company(market, has(name)),
        (FIND, ask("get_financials", years=1)),
        lambda facts, seen: (seen[1]["data"][0]["period"], seen[1]["data"][0]["currency"], seen[1]["data"][0][name]),
        lambda facts, truth: (
            facts["figures"][0]["period"],
            facts["figures"][0]["currency"],
            facts["figures"][0][name],
        ),
        first,
    )


def profile(words: str, market: str, member: str, chosen: Callable[[dict[str, Any]], Any]) -> Question:
    return Question(
        words,
        lambda truth: truth.company(market, chosen),
        (FIND, ask("get_company")),
        lambda facts, seen: seen[1][member],
        lambda facts, truth: facts[member],
        answered,
    )


def event(
    words: str,
    event_type: str,
    market: str,
    read: Callable[[dict[str, Any]], Any],
    chosen: Callable[[dict[str, Any]], Any] = bool,
) -> Question:
    """Asked of a company to which such a thing has happened once."""
    return Question(
        words,
        lambda truth: truth.event(event_type, market, chosen),
        (FIND, ask("list_events", event_type=event_type)),
        lambda facts, seen: read(seen[1]["data"][0]["data"]),
        lambda facts, truth: read(facts["event"]),
        first,
    )


def exact_owner(one: dict[str, Any]) -> Any:
    return one["owners"] and one["owners"][0]["pct"] and one["owners"][0]["holder_name"]


def largest(owners: list[dict[str, Any]]) -> tuple[Any, ...]:
    return tuple(owners[0][name] for name in ("holder_name", "pct", "pct_min", "pct_max"))


def owner(words: str, market: str, chosen: Callable[[dict[str, Any]], Any]) -> Question:
    return Question(
        words,
        lambda truth: truth.company(market, chosen),
        (FIND, ask("get_ownership")),
        lambda facts, seen: largest(seen[1]["data"]),
        lambda facts, truth: largest(facts["owners"]),
        first,
    )


def names(rows: Iterable[dict[str, Any]]) -> set[str]:
    return {one["name"] for one in rows}


def lines(facts: Facts, seen: Seen) -> list[dict[str, Any]]:
    """The lines of a group that lead to the holder."""
    return [one for one in seen[-1]["parents"] if one["company_id"] == facts["row"]["holder"]]
