"""What a page says instead of doing what was asked, in words for a person.

Does not belong here: problems of the interface (`api.problems`), which pages show by their title and detail.
"""

from dataclasses import dataclass


@dataclass(eq=False, slots=True)
class Refused(Exception):  # noqa: N818 -- named for what it says
    """A page that says no. `advice` tells what to do."""

    status: int
    title: str
    advice: str
