"""Data model of press releases and regulator acts about a company.

Does not belong here: what happens on which day (`companies.releases`), or a source's format
(`sandbox.news`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sandbox.model.company import Company

Wire = Literal["mfn", "globenewswire", "nsm"]
ActKind = Literal["sanction", "clone"]


@dataclass(frozen=True, slots=True)
class PressRelease:
    """One release about one company. `titles`: by language, leading one first; `wires`: in order of time.

    `corrects`: serial of the release that this one replaces. `publisher_name`: the distributor if it is not the
    company, such as a law firm looking for clients. `is_expected`: whether it is published as news of the company.
    """

    company: Company
    serial: int
    at: datetime  # UTC
    titles: Mapping[str, str]
    wires: tuple[Wire, ...]
    is_expected: bool = True
    corrects: int | None = None
    publisher_name: str | None = None


@dataclass(frozen=True, slots=True)
class SupervisorAct:
    """One act or announcement of a regulator. `parties`: all parties named in its title, in order.

    `company`: the company concerned, imitated, or with a similar name. `amount`: in whole units, as in its text.
    """

    company: Company
    serial: int
    at: datetime  # UTC
    kind: ActKind
    parties: tuple[str, ...]
    is_expected: bool = True
    amount: int | None = None
