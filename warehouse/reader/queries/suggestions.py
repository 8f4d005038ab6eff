"""Companies that a text may be the beginning of, while it is typed (docs/contract/contract.md 4.8d).

In this order: the number or identifier that the text is, numbers that begin with it, symbols that begin with it, then
names as search orders them without typos (`names`). Every part reads from an index and ends when the suggestions are
full. Does not belong here: search with filters and pages (`search`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain, islice
from typing import Final

from warehouse.reader.queries import profiles
from warehouse.reader.queries.names import exact_name_matches, parse_name_query
from warehouse.reader.types import Suggestion
from warehouse.schema.codes import SERVED
from warehouse.schema.identifiers import company_id, parse_company_number, parse_scoped
from warehouse.schema.markets import MARKETS
from warehouse.serving.codec_read import DocumentsConnection
from warehouse.serving.segment_views import SYMBOL_LENGTH

_LEAST_DIGITS: Final = 3  # of a number that is being typed
_LONGEST: Final = 40
_MOST_SYMBOLS: Final = 3
_LAST: Final = "\U0010ffff"
_SEPARATORS: Final = str.maketrans("", "", " -.")
Found = Iterator[tuple[str, str]]
"""Ids of companies, with what begins with the text."""


def suggest_companies(
    connection: DocumentsConnection, text: str, countries: tuple[str, ...], limit: int
) -> list[Suggestion]:
    """At most `limit` companies, each once, with their profiles."""
    found: dict[str, Suggestion] = {}
    for one, matched_by in chain(
        _whole_identifiers(connection, text, countries),
        _begun_numbers(connection, text, countries, limit),
        _begun_symbols(connection, text, countries),
    ):
        if one not in found and (body := _body(connection, one)) is not None:  # a whole number may be of no company
            found[one] = Suggestion(one, matched_by, body)
        if len(found) == limit:
            break
    suggested = [*found.values()]
    if len(suggested) < limit:
        suggested += _by_name(connection, text, countries, limit, found)
    return suggested[:limit]


def _by_name(
    connection: DocumentsConnection, text: str, countries: tuple[str, ...], limit: int, known: Collection[str]
) -> list[Suggestion]:
    wanted = parse_name_query(text)
    if wanted is None:
        return []
    places = exact_name_matches(connection, wanted, countries, None)
    ranks = [rank for _, rank in islice(places, limit + len(known))]  # each known company is among them at most once
    ids = profiles.ids_by_rank(connection, ranks)
    new = [one for rank in ranks if (one := ids.get(rank)) is not None and one not in known]
    return [Suggestion(one, "name", body) for one in new if (body := _body(connection, one)) is not None]


def _body(connection: DocumentsConnection, company: str) -> bytes | None:
    document = profiles.company_profile(connection, company)
    return None if document is None else document.body


def _whole_identifiers(connection: DocumentsConnection, text: str, countries: tuple[str, ...]) -> Found:
    if len(text) <= _LONGEST:
        numbers = (parse_company_number(text), *(parse_scoped(country, text) for country in countries))
        for number in numbers:
            if number is not None and _is_in(number.market, countries):
                yield number.company_id, "number"
    for one in profiles.ids_by_identifier(connection, text):
        if _is_in(one.split(":")[1], countries):
            yield one, "identifier"


def _begun_numbers(connection: DocumentsConnection, text: str, countries: tuple[str, ...], limit: int) -> Found:
    typed = text.translate(_SEPARATORS).upper()
    if len(typed) < _LEAST_DIGITS or len(text) > _LONGEST or not (typed.isascii() and typed.isalnum()):
        return
    if not any(sign.isdigit() for sign in typed):
        return
    for country in countries or SERVED:
        low = company_id(country, _number_beginning(country, typed))
        rows = connection.execute(
            "SELECT company_id FROM companies WHERE company_id >= ? AND company_id < ? ORDER BY company_id LIMIT ?",
            (low, low + _LAST, limit),
        )
        for (one,) in rows:
            yield one, "number"


def _number_beginning(country: str, typed: str) -> str:
    """What is typed as the beginning of a canonical number."""
    hyphen = MARKETS[country].number.hyphen
    return typed if hyphen is None or len(typed) <= hyphen else f"{typed[:hyphen]}-{typed[hyphen:]}"


def _begun_symbols(connection: DocumentsConnection, text: str, countries: tuple[str, ...]) -> Found:
    typed = "-".join(text.upper().replace(".", " ").split())
    if not 1 < len(typed) <= SYMBOL_LENGTH or ":" in typed:
        return
    rows = connection.execute(
        f"""SELECT value, company_id FROM known_as
            WHERE value >= ? AND value < ? AND length(value) <= {SYMBOL_LENGTH}
            ORDER BY length(value), value, company_id""",
        (typed, typed + _LAST),
    )
    symbols = (one for _, one in rows if _is_in(one.split(":")[1], countries))
    yield from ((one, "ticker") for one in islice(symbols, _MOST_SYMBOLS))


def _is_in(country: str, countries: tuple[str, ...]) -> bool:
    return not countries or country in countries
