"""What ownership filings contribute to the market: Schedules 13D and 13G, Forms 3 to 5, 13F.

Belongs here: listing the datasets, their CIK columns and their mapping. Does not belong here: reading any of
them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.companion import Companion
from connectors.contract.contribution import Contribution
from connectors.contract.dataset import MAPPING_SIGNALS, ComputedKey, Link, PresentRows, SharedTables
from connectors.kit import holdings_history
from connectors.kit.staging import present_rows
from connectors.us.ownership import share_evidence
from connectors.us.ownership.form13f import dataset as form13f_dataset
from connectors.us.ownership.form13f import holdings as form13f_holdings
from connectors.us.ownership.form13f import schema as form13f_schema
from connectors.us.ownership.form13f.linked_rows import issuer_names_by_company
from connectors.us.ownership.forms345 import dataset as forms345_dataset
from connectors.us.ownership.forms345 import holdings as forms345_holdings
from connectors.us.ownership.forms345 import schema as forms345_schema
from connectors.us.ownership.parse_values import padded_cusip
from connectors.us.ownership.schedule13 import dataset as schedule13_dataset
from connectors.us.ownership.schedule13 import holdings as schedule13_holdings
from connectors.us.ownership.schedule13 import other_issuers
from connectors.us.ownership.schedule13 import schema as schedule13_schema
from connectors.us.ownership.shares_outstanding import doubt_rows, outstanding_by_company
from connectors.us.ownership.split_evidence import with_splits
from connectors.us.register import MARKET, company_ids
from connectors.us.submissions.schema import FILED_TABLE, FILERS
from name_matching.name_columns import core_names
from warehouse.schema.tables import HOLDINGS, HOLDINGS_EARLIER

_SIGNS: Final = 8  # of a CUSIP without its check digit
_ISSUER_SIGNS: Final = 6  # of a CUSIP: its issuer
_FUND: Final = r"(?i)\b(?:funds?|etf)\b"


def _keys_with_issuer(
    rows: pl.DataFrame, cusip_of: Callable[[str], str | None], *, signs: int = _SIGNS, is_whole: bool = True
) -> pl.Series:
    """The first signs of a CUSIP and the issuer's name, or its first word; null where either is missing."""
    names = core_names(rows["issuer"], MARKET)
    names = names if is_whole else names.str.extract(r"^(\S+)")
    return pl.Series(
        [
            f"{whole[:signs]}/{name}" if name and cusip and (whole := cusip_of(cusip)) else None
            for cusip, name in zip(rows[schedule13_schema.CUSIP], names, strict=True)
        ],
        dtype=pl.String,
    )


# A manager's report identifies shares by CUSIP, as does a schedule without its header. Where schedules give one CUSIP
# to two issuers, by a slip, the issuer's name in the row decides; a CUSIP without its zeros needs the name as well
_NAMED: Final = ComputedKey("cusip_and_issuer", partial(_keys_with_issuer, cusip_of=str))
_PADDED: Final = ComputedKey("padded_cusip_and_issuer", partial(_keys_with_issuer, cusip_of=padded_cusip))
# «ALDER TMBR» is Alder Timber Corp if the CUSIP says so too
_ABBREVIATED: Final = ComputedKey("cusip_and_first_word", partial(_keys_with_issuer, cusip_of=str, is_whole=False))
_PADDED_ABBREVIATED: Final = ComputedKey(
    "padded_cusip_and_first_word", partial(_keys_with_issuer, cusip_of=padded_cusip, is_whole=False)
)
# a reverse split gives the shares a new CUSIP of the same issuer, which no schedule may have named yet
_ISSUERS: Final = ComputedKey("cusip_issuer_and_name", partial(_keys_with_issuer, cusip_of=str, signs=_ISSUER_SIGNS))
_BY_CUSIP: Final = (schedule13_schema.CUSIPS.name, schedule13_schema.CUSIP)
_BY_NAME: Final = (schedule13_schema.CUSIPS.name, _NAMED)
_BY_WORD: Final = (schedule13_schema.CUSIPS.name, _ABBREVIATED)
_BY_ISSUER: Final = (schedule13_schema.CUSIPS.name, _ISSUERS)
LINKS: Final = (
    *(
        link
        for table in (schedule13_schema.BARE.name, form13f_schema.POSITIONS.name)
        for link in (
            Link(table, _NAMED, *_BY_NAME),
            Link(table, _PADDED, *_BY_NAME),
            Link(table, _ABBREVIATED, *_BY_WORD),
            Link(table, _PADDED_ABBREVIATED, *_BY_WORD),
            Link(table, _ISSUERS, *_BY_ISSUER),
            Link(table, schedule13_schema.CUSIP, *_BY_CUSIP),
        )
    ),
)


def to_shared_tables(present: PresentRows, today: date) -> SharedTables:
    """Holdings by every form."""
    filed = present_rows(present, FILED_TABLE)
    stated, lines = (present_rows(present, schedule13_schema.STAKES), present_rows(present, forms345_schema.LINES))
    bare = present_rows(present, schedule13_schema.BARE)
    names = other_issuers.names_of_filers(present_rows(present, FILERS))
    others = other_issuers.filings_of_other_issuers(stated, names)
    stated = stated.filter(~pl.col(schedule13_schema.SOURCE).is_in([source for _, source in sorted(others)]))
    positions = present_rows(present, form13f_schema.POSITIONS)
    classes = [frame.select("_company_id", "classKey") for frame in (stated, lines)]
    counts = outstanding_by_company(present, [*classes, share_evidence.lettered_classes(positions)])
    standing = schedule13_holdings.linked_stake_histories(stated, bare, filed, counts)
    proved = share_evidence.without_disproved(counts, share_evidence.held_shares(positions, lines), standing)
    all_shares = with_splits(proved, filed, positions)
    stakes = schedule13_holdings.map_holdings(standing, all_shares)
    known = schedule13_holdings.holder_identities(standing)
    owned, of_owners = forms345_holdings.map_holdings(lines, filed, known, all_shares)
    issuers = form13f_holdings.IssuerEvidence(
        share_evidence.receipt_cusips((stated, bare), positions), issuer_names_by_company((stated, bare, lines), names)
    )
    covers = present_rows(present, form13f_schema.COVERS)
    managed, of_managers = form13f_holdings.map_holdings(positions, today, all_shares, known, issuers, covers)
    signals = (
        schedule13_holdings.percentage_signals(standing, all_shares),
        doubt_rows(schedule13_schema.KEY, [(company, other_issuers.ANOTHER_NAME) for company, _ in sorted(others)]),
        of_owners,
        of_managers,
    )
    now = (stakes, holdings_history.latest_statements(owned), holdings_history.latest_statements(managed))
    before = (
        schedule13_holdings.map_superseded_holdings(standing, all_shares),
        holdings_history.superseded_statements(owned),
        holdings_history.superseded_statements(managed),
    )
    return {
        HOLDINGS.name: pl.concat(now),
        HOLDINGS_EARLIER.name: pl.concat(before),
        MAPPING_SIGNALS: pl.concat(signals),
    }


def issuer_names(present: PresentRows) -> pl.LazyFrame:
    """Issuer names from the newest form; managers and holders are not confirmed to be companies."""
    told = [
        present_rows(present, table)
        .filter(pl.col(column).ne_missing(pl.col(holder)))  # a holder who fills in the own CIK is no issuer
        .select(pl.col(column).alias("cik"), pl.col("issuer").alias("name"), "signedOn", "_observed_at")
        for table, column, holder in (
            (schedule13_schema.STAKES, schedule13_schema.ISSUER, "holderCik"),
            (forms345_schema.LINES, forms345_schema.ISSUER, "ownerCik"),
        )
    ]
    is_fund = pl.col("name").str.contains(_FUND)  # closed-end funds have insiders too
    newest = pl.concat(told).filter(pl.col("name").is_not_null(), pl.col("cik").is_not_null(), ~is_fund)
    newest = newest.sort("signedOn", "_observed_at", "name", nulls_last=False)
    return newest.group_by("cik").agg(pl.col("name").last(), pl.col("_observed_at").max().alias("observed_at"))


OWNERSHIP: Final = Contribution(
    name="ownership filings",
    datasets=(schedule13_dataset.DATASET, forms345_dataset.DATASET, form13f_dataset.DATASET),
    company_ids={
        schedule13_schema.STAKES.name: company_ids(pl.col(schedule13_schema.ISSUER)),
        schedule13_schema.CUSIPS.name: company_ids(pl.col(schedule13_schema.ISSUER)),
        forms345_schema.LINES.name: company_ids(pl.col(forms345_schema.ISSUER)),
    },
    to_shared_tables=to_shared_tables,
    # beneficial ownership statements first, then insiders' own shares, then managed shares (docs/formats/us.md
    # 7)
    field_precedence={"ownership": (schedule13_schema.KEY, forms345_schema.KEY, form13f_schema.KEY)},
    links=LINKS,
    companions=(Companion(form13f_schema.COVERS.name, form13f_schema.POSITIONS.name, (form13f_schema.MANAGER,)),),
    holder_columns={
        schedule13_schema.STAKES.name: ("holderCik", schedule13_schema.HOLDER, schedule13_schema.HOLDER_KEY),
        schedule13_schema.BARE.name: ("holderCik", schedule13_schema.HOLDER, schedule13_schema.HOLDER_KEY),
        forms345_schema.LINES.name: ("ownerCik", forms345_schema.OWNER, forms345_schema.OWNER_KEY),
        form13f_schema.COVERS.name: (form13f_schema.MANAGER, form13f_schema.MANAGER_NAME),
        form13f_schema.POSITIONS.name: (form13f_schema.MANAGER, form13f_schema.MANAGER_NAME),
    },
    stake_codes=tuple(forms345_holdings.INSIDER_CODES.values()),
    # all of them state the day they refer to
    dated_datasets=(schedule13_schema.KEY, forms345_schema.KEY, form13f_schema.KEY),
)
