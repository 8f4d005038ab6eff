"""Our questions in the peers' words: datasette's table API, roapi's SQL.

Each is asked the cheapest way it has: datasette without counts and facets; roapi without an order where the
question has none. Does not belong here: the questions (`api_questions`).
"""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from benchmarks.api_questions import Question, get
from benchmarks.load import Ask

PAGE = 25
_CLASSES = {"micro": (0, 9), "small": (10, 49), "medium": (50, 249), "large": (250, None)}
Condition = tuple[str, str, object]  # column, operator, value


def conditions(named: Mapping[str, str]) -> list[Condition]:
    """What the filters of a question say of columns; `place` stands for municipality or county."""
    found: list[Condition] = []
    for name, value in named.items():
        found += _CONDITIONS[name](value) if name in _CONDITIONS else []
    return found


def _flag(value: str) -> list[Condition]:
    return [("is_listed", "=", value == "true")]


def _class(value: str) -> list[Condition]:
    low, high = _CLASSES[value]
    return [("employees", ">=", low), *([("employees", "<=", high)] if high is not None else [])]


def _on(column: str, operator: str, kind: Callable[[str], object] = str) -> Callable[[str], list[Condition]]:
    return lambda value: [(column, operator, kind(value))]


_CONDITIONS: dict[str, Callable[[str], list[Condition]]] = {
    "country": _on("country", "="),
    "industry": _on("industry_code", "starts"),
    "region": _on("place", "="),
    "status": _on("status", "="),
    "is_listed": _flag,
    "size": _class,
    "employees_min": _on("employees", ">=", int),
    "employees_max": _on("employees", "<=", int),
    "revenue_min": _on("latest_revenue", ">=", int),
    "revenue_max": _on("latest_revenue", "<=", int),
    "currency": _on("latest_currency", "="),
    "registered_from": _on("registered_date", ">="),
    "registered_to": _on("registered_date", "<="),
}
_OPERATORS = {"=": "exact", "starts": "startswith", ">=": "gte", "<=": "lte"}


def words_of(named: Mapping[str, str]) -> list[str]:
    """The words asked for, without punctuation."""
    return "".join(char if char.isalnum() else " " for char in named.get("q", "")).split()


def datasette(question: Question) -> Ask:
    """Words by its full-text index, the last as a prefix; filters by columns."""
    named = question.named
    asked: list[tuple[str, object]] = [("_shape", "array"), ("_size", PAGE), ("_nocount", 1), ("_nofacet", 1)]
    words = words_of(named)
    if words:
        asked += [("_searchmode", "raw"), ("_search", " ".join(f'"{word}"' for word in words) + "*")]
    for column, operator, value in conditions(named):
        if column == "place":
            place = _literal(value)
            asked.append(("_where", f"(municipality = {place} COLLATE NOCASE OR county = {place} COLLATE NOCASE)"))
        else:
            asked.append((f"{column}__{_OPERATORS[operator]}", int(value) if isinstance(value, bool) else value))
    sort = named.get("sort", "")
    asked.append(("_sort_desc", sort[1:]) if sort.startswith("-") else ("_sort", sort or "company_id"))
    if words and not sort:
        asked.pop()  # no order asked for: its own
    return get(question.kind, f"/peer/companies.json?{urlencode(asked)}", holds=b"[")


def roapi(question: Question) -> Ask:
    """Words as parts of the name (it has no full-text index); filters and sorts in SQL."""
    named = question.named
    where = [f"name ILIKE {_literal(f'%{word}%')}" for word in words_of(named)]
    for column, operator, value in conditions(named):
        text = _literal(value)
        if column == "place":
            where.append(f"(lower(municipality) = lower({text}) OR lower(county) = lower({text}))")
        elif operator == "starts":
            where.append(f"{column} LIKE '{value}%'")
        else:
            where.append(f"{column} {operator} {text}")
    statement = "SELECT * FROM companies" + (f" WHERE {' AND '.join(where)}" if where else "")
    sort = named.get("sort", "")
    if sort:
        statement += f" ORDER BY {sort[1:]} DESC NULLS LAST" if sort.startswith("-") else f" ORDER BY {sort}"
    elif "q" not in named:
        statement += " ORDER BY company_id"
    body = f"{statement} LIMIT {PAGE}".encode()
    head = f"POST /api/sql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    return Ask(question.kind, head + body, b"[")


def _literal(value: object) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value).lower()
