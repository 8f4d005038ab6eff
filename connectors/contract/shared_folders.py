"""Source groups: folders of files that belong to no single market.

Datasets of every market read them by those patterns of `Dataset.file_patterns` that begin with a folder's name. Belongs
here: the groups, and the files that are ignored on purpose. Does not belong here: ingesting files
(`pipelines.sources.folder`), or reading them (the datasets).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from connectors.contract.dataset import Jurisdiction
from warehouse.schema.markets import MARKETS


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """One folder in addition to those of the markets.

    code: its name, also for `firm ingest`. patterns: globs by which datasets of any market read its files, each
    only its own market's records. unread: glob -> why such files are not read.
    """

    code: str
    patterns: frozenset[str]
    unread: Mapping[str, str]


_DESCRIPTION: Final = "describes the folder; not a source file"
_UNREAD_NEWS: Final = {
    "gleif_codelists/**": "code list of legal forms: name matching has its own in name_matching",
    "FORMAT.md": _DESCRIPTION,
    "MANIFEST.tsv": _DESCRIPTION,
}


def news_folder(jurisdictions: Iterable[Jurisdiction]) -> SharedFolder:
    """The folder of newswires, storages of regulated information and identifiers."""
    datasets = [dataset for jurisdiction in jurisdictions for dataset in jurisdiction.datasets]
    announced = {
        f"{code.lower()}_*/**": f"{market.name} is announced, not served yet"
        for code, market in MARKETS.items()
        if market.state == "announced"
    }
    patterns = frozenset(filter(_names_folder, (pattern for dataset in datasets for pattern in dataset.file_patterns)))
    return SharedFolder("news", patterns, {**_UNREAD_NEWS, **announced})


def _names_folder(pattern: str) -> bool:
    """True if a pattern begins with a folder: names of files alone do not say whose they are."""
    first, _, rest = pattern.partition("/")
    return bool(rest) and "*" not in first
