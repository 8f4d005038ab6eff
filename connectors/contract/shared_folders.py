"""Source groups: folders of files that belong to no single market, and which datasets read which of them.

Belongs here: one declaration per group, its folders and the files that are ignored on purpose. Does not
belong here: ingesting files (`pipelines.sources.folder`), or reading them (the datasets).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """One folder in addition to those of the markets.

    code: its name, also for `firm ingest`. read: glob below it -> keys of the datasets that read such files,
    each only its own market's records. left: glob -> why such files are not read.
    """

    code: str
    read: Mapping[str, tuple[str, ...]]
    left: Mapping[str, str]


def _dataset_keys(source: str, *markets: str) -> tuple[str, ...]:
    return tuple(f"{market}.{source}" for market in markets)


_SERVED: Final = ("fi", "no", "se", "uk", "us")
_LEI: Final = _dataset_keys("lei", "fi", "no", "se", "uk")
_WIRES: Final = _dataset_keys("wires", *_SERVED)
_ESMA: Final = _dataset_keys("esma", "fi", "no", "se")
_PARENTS: Final = _dataset_keys("lei_parents", "fi", "no", "se", "uk")
_FIRDS: Final = _dataset_keys("firds", "fi", "no", "se")
_DESCRIBED: Final = "describes the folder; not a source file"

NEWS: Final = SharedFolder(
    "news",
    read={
        "newsweb_no/**": ("no.newsweb",),
        "fca_nsm/**": ("uk.nsm",),
        "fi_oam/**": ("fi.oam",),
        "se_finanscentralen/**": ("se.finanscentralen",),
        "sec_current_atom/**": ("us.getcurrent",),
        "nasdaq_cns/**": _dataset_keys("nasdaq", "fi", "se"),
        "mfn/**": _dataset_keys("mfn", "fi", "no", "se"),
        "cision/**": ("se.cision",),
        "wires/**": _WIRES,
        "globenewswire/**": _WIRES,
        "prnewswire/**": _WIRES,
        "businesswire/**": _WIRES,
        "sec_rss/**": ("us.sec",),
        "fca_rss/**": ("uk.fca",),
        "fi_rss/**": ("se.sanktioner",),
        "finanstilsynet_rss/**": ("no.tilsyn",),
        "esma_sanctions/**": _ESMA,
        "cftc_rss/**": ("us.cftc",),
        "boe_rss/**": ("uk.pra",),
        "gleif_api/**": _LEI,
        "gleif_api/relationships__*": _PARENTS,
        "gleif_api/reporting_exceptions__*": _PARENTS,
        "gleif_golden_copy/**": _LEI,
        "gleif_golden_copy/*rr-*": _PARENTS,
        "gleif_golden_copy/*repex*": _PARENTS,
        "isin_lei/**": _dataset_keys("isin", *_SERVED),
        "esma_firds/**": _FIRDS,
        "esma_firds/DLTINS*": _dataset_keys("firds_changes", "fi", "no", "se"),
        "nasdaq_symdir/**": ("us.symdir",),
    },
    left={
        "dk_oam/**": "storage of Denmark's Finanstilsynet: Denmark is announced, not served yet",
        "gleif_codelists/**": "code list of legal forms: name matching has its own in connectors/name_matching",
        "FORMAT.md": _DESCRIBED,
        "MANIFEST.tsv": _DESCRIBED,
    },
)
GROUPS: Final = (NEWS,)
