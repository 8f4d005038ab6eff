"""Checks of `firm doctor`, one module per subject."""

from typing import NamedTuple


class DoctorFinding(NamedTuple):
    """Result of one check. `state` is ok, warn or bad; `advice` says what to do if not ok."""

    state: str
    subject: str
    advice: str = ""
