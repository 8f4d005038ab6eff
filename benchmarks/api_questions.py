"""What the API benchmarks ask: questions drawn from the companies of a world, written for each server.

A question is our parameters; the peers get what says the same in their words, or are not asked where they have
none (typos, folding). Does not belong here: sending (`load`), timing (`bench_api`, `bench_search`).
"""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from benchmarks.api_peers import COLUMNS
from benchmarks.api_release import Built
from benchmarks.load import Ask
from warehouse.storage.duckdb import open_database

Row = Mapping[str, Any]
TYPO = "one typo"
SORTS = ("", "name", "-latest_revenue", "-registered_date")
FILTERS = ("country", "industry", "region", "status", "is_listed", "registered", "size", "employees", "revenue")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_COMPANIES = 100_000  # that are asked for
_SAMPLE = 200_000  # names that the common words are counted in
_TYPED = 5  # a slip is made in a word of at least so many letters


@dataclass(frozen=True, slots=True)
class Question:
    """Our parameters, by kind of question; the company it was drawn from; whether something must be found."""

    kind: str
    parameters: tuple[tuple[str, str], ...]
    company_id: str | None = None
    is_sure: bool = True

    @property
    def named(self) -> dict[str, str]:
        return dict(self.parameters)

    def ask(self, key: str, cursor: str | None = None) -> Ask:
        """For our service."""
        asked = [*self.parameters, *([("cursor", cursor)] if cursor else [])]
        path = f"/api/v1/companies?{urlencode(asked)}".rstrip("?")
        holds = b'"id":"firm:' if self.is_sure and not cursor else b'"data":['
        return get(self.kind, path, key, holds, urlencode(self.parameters, encoding="utf-8"))


def get(kind: str, path: str, key: str = "", holds: bytes = b"", label: str = "") -> Ask:
    """A GET request."""
    bearer = f"Authorization: Bearer {key}\r\n" if key else ""
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{bearer}Accept: */*\r\n\r\n"
    return Ask(kind, head.encode(), holds, label)


class Questions:
    """Questions about one world; the same ones on every run."""

    def __init__(self, world: Built) -> None:
        self._chance = random.Random(7)
        rows = f"read_parquet('{world.folder / 'companies.parquet'}')"
        with open_database() as memory:
            found = memory.execute(f"FROM {rows} ORDER BY hash(company_id) LIMIT {_COMPANIES}")
            self.rows: list[Row] = [dict(zip(COLUMNS, row, strict=True)) for row in found.fetchall()]
            names = memory.execute(f"SELECT name FROM {rows} ORDER BY hash(name) LIMIT {_SAMPLE}").fetchall()
        counted = Counter(word for (name,) in names for word in name.lower().split() if word.isalnum())
        self.common = [word for word, _ in counted.most_common(100)]
        self._next = 0

    def row(self) -> Row:
        """The next company of the sample; over again at its end."""
        self._next += 1
        return self.rows[self._next % len(self.rows)]

    def searches(self, count: int) -> list[Question]:
        """`q` alone: a fifth with one typo, a tenth the most common words, the others as people type names."""
        made = [
            Question("common word", (("q", self.common[number % len(self.common)]),)) for number in range(count // 10)
        ]
        made += [self._search(TYPO, _slip) for _ in range(count // 5)]
        ways = (("whole name", _whole), ("without form", _without_form), ("one word", _one_word), ("beginning", _cut))
        made += [self._search(*ways[number % len(ways)]) for number in range(count - len(made))]
        self._chance.shuffle(made)
        return made

    def _search(self, kind: str, way: Any) -> Question:
        row = self.row()
        return Question(kind, (("q", way(row["name"], self._chance)),), row["company_id"], kind != TYPO)

    def narrowed(self, count: int) -> list[Question]:
        """`q` with one to three filters that the company has."""
        return [self._narrowed(question) for question in self.searches(count)]

    def _narrowed(self, question: Question) -> Question:
        row = next((one for one in self.rows if one["company_id"] == question.company_id), None)
        known = filters_of(row or self.row(), self._chance)
        chosen = self._chance.sample(list(known), self._chance.randint(1, 3))
        asked = dict(question.parameters)
        for name in chosen:
            asked |= known[name]
        is_sure = question.is_sure and row is not None  # a common word need not go with another's filters
        return Question(question.kind, tuple(asked.items()), question.company_id, is_sure)

    def single(self, each: int) -> list[Question]:
        """Every filter alone, with every sort; and no filter at all."""
        made = [Question("no filter", _sorted({}, sort)) for sort in SORTS]
        for name in FILTERS:
            for number in range(each):
                known = {}
                while name not in known:
                    known = filters_of(self.row(), self._chance)
                made.append(Question(name, _sorted(known[name], SORTS[number % len(SORTS)])))
        return made

    def combined(self, count: int) -> list[Question]:
        """Two to four filters of one company, any sort."""
        made = []
        for _ in range(count):
            known, asked = filters_of(self.row(), self._chance), {}
            for name in self._chance.sample(list(known), self._chance.randint(2, 4)):
                asked |= known[name]
            made.append(Question("combination", _sorted(asked, self._chance.choice(SORTS))))
        return made


def _sorted(asked: dict[str, str], sort: str) -> tuple[tuple[str, str], ...]:
    return tuple((asked | ({"sort": sort} if sort else {})).items())


def filters_of(row: Row, chance: random.Random) -> dict[str, dict[str, str]]:
    """Filters that this company passes, by name: those of what it has."""
    day, country, code = date.fromisoformat(row["registered_date"]), row["country"], row["industry_code"]
    known = {
        "country": {"country": country},
        "industry": {"industry": code[: chance.choice((2, 3, len(code)))], "country": country},
        "region": {"region": chance.choice((row["municipality"], row["county"])).lower()},
        "status": {"status": row["status"]},
        "is_listed": {"is_listed": str(bool(row["is_listed"])).lower()},
        "registered": {
            "registered_from": (day - timedelta(days=chance.randrange(900))).isoformat(),
            "registered_to": (day + timedelta(days=chance.randrange(900))).isoformat(),
        },
    }
    return known | _figures_of(row, chance)


def _figures_of(row: Row, chance: random.Random) -> dict[str, dict[str, str]]:
    found = {}
    staff, revenue = row["employees"], row["latest_revenue"]
    if staff is not None:
        classes = ("micro", "small", "medium", "large")
        found["size"] = {"size": classes[sum(staff >= bound for bound in (10, 50, 250))]}
        found["employees"] = {
            "employees_min": str(staff // chance.choice((1, 2))),
            "employees_max": str(staff * 2 + chance.randrange(100)),
        }
    if revenue is not None:
        found["revenue"] = {"revenue_min": str(revenue // 2), "currency": row["latest_currency"]}
        if chance.random() < 0.5:
            found["revenue"]["revenue_max"] = str(revenue * 2)
    return found


def _whole(name: str, chance: random.Random) -> str:  # noqa: ARG001
    return name


def _without_form(name: str, chance: random.Random) -> str:  # noqa: ARG001
    words = name.split()
    return " ".join(words[:-1]) if len(words) > 2 else name


def _one_word(name: str, chance: random.Random) -> str:
    return chance.choice([word for word in name.split() if word != "&"])


def _cut(name: str, chance: random.Random) -> str:
    """As somebody has it who is still typing."""
    return name[: chance.randint(3, max(4, len(name) - 2))].strip()


def _slip(name: str, chance: random.Random) -> str:
    """One letter left out, added, changed, or swapped with its neighbour, in one longer word."""
    words = name.split()
    long = [place for place, word in enumerate(words) if len(word) >= _TYPED and word.isalpha()]
    if not long:
        return name
    place = chance.choice(long)
    word = words[place]
    at, letter = chance.randrange(1, len(word) - 1), chance.choice(_LETTERS)
    words[place] = chance.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        )
    )
    return " ".join(words)


def profile(which: str, row: Row, key: str) -> Ask:
    """The same company's profile of any server; `roapi-kv` is roapi's key-value store."""
    number = row["org_number"]
    path = {
        "ours": f"/api/v1/companies/{number}",
        "kept": f"/api/v1/companies/{number}",
        "cold": f"/api/v1/companies/{number}",
        "empty": "/",
        "datasette": f"/peer/companies/{number}.json?_shape=array",
        "roapi": f"/api/tables/companies?filter[org_number]={quote(repr(number))}&limit=1",
        "roapi-kv": f"/api/kv/profiles/{number}",
    }[which]
    return get("profile", path, key, b"" if which == "empty" else number.encode())
