"""Values of properties of one company, from its profile and the parts of it (docs/contract/contract.md 4.1).

Does not belong here: which properties there are (`api.reconcile.vocabulary`).
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from api.reconcile.vocabulary import CompanyProperty
from warehouse.reader.reader import PinnedRelease

_MEMBERS: Final = msgspec.json.Decoder(dict[str, Any])


class CompanyValues:
    """The values of a company of this release; each part is read when a property of it is asked for.

    Of an id that no company has, every value is unknown.
    """

    def __init__(self, snapshot: PinnedRelease, company_id: str) -> None:
        self._snapshot = snapshot
        document = snapshot.profile(company_id)
        self._company_id = None if document is None else company_id
        self._parts: dict[str, Mapping[str, Any]] = {
            "profile": {} if document is None else _MEMBERS.decode(document.body)
        }

    def of(self, asked: CompanyProperty) -> Any:
        """The value as JSON has it; None if it is unknown."""
        if self._company_id is None:
            return None
        if asked.part not in self._parts:
            self._parts[asked.part] = _MEMBERS.decode(self._snapshot.profile_parts(self._company_id)[asked.part])
        return self._parts[asked.part].get(asked.member)


def value_texts(value: Any) -> list[str]:
    """A value as texts: none if it is unknown, several if it is a list."""
    if value is None:
        return []
    if isinstance(value, list):
        return [text for one in value for text in value_texts(one)]
    return [("true" if value else "false") if isinstance(value, bool) else str(value)]
