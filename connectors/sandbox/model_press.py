"""What the press and the supervisors publish of a company: the shapes that desks write and the ground truth tells.

Does not belong here: which of it happens on which day (`press`), or a source's format (`press_*`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from connectors.sandbox.model import Company

Wire = Literal["mfn", "globenewswire", "nsm"]
ActKind = Literal["sanction", "clone"]


@dataclass(frozen=True, slots=True)
class Release:
    """One release about one company. `titles`: by language, the one that leads first; `wires`: in order of time.

    `corrects`: the serial of the release that this one replaces. `speaker`: who distributes it where that is not
    the company, as law firms do that look for clients. `is_told`: whether it is news of the company.
    """

    company: Company
    serial: int
    at: datetime  # UTC
    titles: Mapping[str, str]
    wires: tuple[Wire, ...]
    is_told: bool = True
    corrects: int | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """One act or announcement of a supervisor. `parties`: all whom its title names, in order.

    `company`: whom it concerns, or is imitated or nearly named by it. `amount` in whole units, stated in its text.
    """

    company: Company
    serial: int
    at: datetime  # UTC
    kind: ActKind
    parties: tuple[str, ...]
    is_told: bool = True
    amount: int | None = None


@dataclass(frozen=True, slots=True)
class ReleaseTold:
    """A release that is news of its company."""

    release: Release


@dataclass(frozen=True, slots=True)
class ActTold:
    """An act that concerns a company."""

    act: Act
