"""Errors of pages, with texts for people.

Does not belong here: problems of the API (`api.problems.problem`), which pages show with their title and
detail.
"""

from dataclasses import dataclass


@dataclass(eq=False, slots=True)
class PageError(Exception):
    """An error page. `advice` explains what the user can do."""

    status: int
    title: str
    advice: str
