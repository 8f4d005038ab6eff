"""Errors of pages, with texts for people.

Does not belong here: problems of the API (`api.problems.problem`), which pages show with their title and
detail.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from api.problems.problem import service_unavailable_problem


@dataclass(eq=False, slots=True)
class PageError(Exception):
    """An error page. `advice` explains what the user can do."""

    status: int
    title: str
    advice: str


@contextmanager
def unavailable_without_database(message: str) -> Iterator[None]:
    """503 with this message if the database fails within the block."""
    try:
        yield
    except SQLAlchemyError as error:
        raise service_unavailable_problem(message, retry_after=2) from error
