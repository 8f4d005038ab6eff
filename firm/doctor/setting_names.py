"""Findings of `firm doctor`: names that are nearly those of settings, which nothing reads.

Does not belong here: whether a setting's value is right (its class).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from firm.doctor import DoctorFinding
from firm.settings_page import PREFIX, list_areas


def misspelt_findings(given: Iterable[str]) -> Iterator[DoctorFinding]:
    """Names in the environment or in `.env` that are one slip away from a setting."""
    known = {setting.name for area in list_areas() for setting in area.settings}
    for name in sorted(set(given) - known):
        if name.startswith(PREFIX) and (meant := [one for one in sorted(known) if is_one_slip(name, one)]):
            yield DoctorFinding("warn", f"{name} is no setting and has no effect", f"did you mean {meant[0]}?")


def is_one_slip(written: str, meant: str) -> bool:
    """Whether one letter is wrong, missing or too many, or two neighbours are swapped."""
    if len(written) == len(meant):
        wrong = [place for place, letters in enumerate(zip(written, meant, strict=True)) if len(set(letters)) > 1]
        match wrong:
            case [_]:
                return True
            case [first, second] if second == first + 1:
                return written[first] == meant[second] and written[second] == meant[first]
            case _:
                return False
    shorter, longer = sorted((written, meant), key=len)
    return any(longer[:place] + longer[place + 1 :] == shorter for place in range(len(longer)))
