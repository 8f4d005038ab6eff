"""Errors of pages, with texts for people.

Does not belong here: problems of the API (`api.problems`), which pages show with their title and detail.
"""

from dataclasses import dataclass


@dataclass(eq=False, slots=True)
class Refused(Exception):  # noqa: N818 -- named for what it says
    """An error page. `advice` explains what the user can do."""

    status: int
    title: str
    advice: str
