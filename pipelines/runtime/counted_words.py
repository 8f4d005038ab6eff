"""Counts with their words, for messages to people: «1 rule reads», «2 rules read», «1,200 rows».

Does not belong here: what is counted, or messages to programs, which are numbers.
"""


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """A count with the words that agree with it; without `plural` the singular's with an s."""
    words = singular if count == 1 else plural or f"{singular}s"
    return f"{count:,} {words}"
