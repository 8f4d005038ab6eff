"""Maps staged TR-1 forms to holder statements of an issuer; the newest per holder counts.

See docs/formats/uk.md 10.4, 11.

`pct` is the total of section 7, `votes_pct` the part attached to shares. A position below the lowest threshold
(3 % of a British issuer) is no longer a major holding: it ends on the day of the crossing. Does not belong here:
linking the issuer (`Jurisdiction.links`, by LEI).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.kit.staging import cast_to_table
from connectors.uk.code_lists import code_list_field
from connectors.uk.nsm.schema import KEY, normalise_holder_name
from warehouse.schema import tables

_PORTAL_REVISION: Final = r"^(NI-\d+)-\d+$"  # of the portal's disclosures: the number, and that of the revision
ARTEFACTS: Final = "https://data.fca.org.uk/artefacts/"
_FUND: Final = r"(?i)\b(?:fund|funds|sicav|oeic|unit trust)\b"
_STATE: Final = r"(?i)\b(?:kingdom of|state of|government|treasury|ministry|norges bank|republic of)\b"
_COMPANY: Final = (
    r"(?i)\b(?:plc|p\.l\.c|limited|ltd|llc|llp|l\.?p|inc|incorporated|corp|corporation|company|co|gmbh|ag|se|s\.?a|"
    r"s\.?a\.?r\.?l|n\.?v|b\.?v|as|asa|ab|oyj|pte|pty|bank|group|holdings?|trust|partners|management|trustees?)\b"
)


def map_holdings(forms: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """All notifications of linked `uk_tr1` rows as shared holdings, oldest first; `items`: `uk_nsm_items` rows."""
    linked = _without_superseded_revisions(forms, items).filter(pl.col("_company_id").is_not_null())
    if linked.is_empty():
        return staging.empty_staged_frame(tables.HOLDINGS)
    submitted = pl.col("submitted_date").str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    dated = linked.with_columns(valid_from=pl.coalesce("crossed_on", submitted))
    ordered = dated.sort("valid_from", "submitted_date", "id", nulls_last=False)
    return cast_to_table(ordered.with_columns(*staging.ORIGIN, **_holding_columns(ordered)), tables.HOLDINGS)


def _without_superseded_revisions(forms: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """The newest form of each disclosure: a revision may also correct the day of the crossing."""
    disclosures = items.select("id", _disclosure=pl.col("seq_id").str.replace(_PORTAL_REVISION, "$1"))
    named = forms.join(disclosures, on="id", how="left").with_columns(pl.coalesce("_disclosure", "id"))
    newest = named.sort("submitted_date", "id", nulls_last=False).unique("_disclosure", keep="last")
    return newest.drop("_disclosure")


def _holding_columns(rows: pl.DataFrame) -> dict[str, pl.Expr]:
    name, total, votes = pl.col("holder"), pl.col("total"), pl.col("votes")
    gone = pl.col("is_below") | (total == pl.lit(0).cast(rows.schema["total"]))
    return {
        "native_id": name.map_elements(normalise_holder_name, return_dtype=pl.String),
        "holder_name": name,
        "holder_type": pl.when(name.str.contains(_STATE))
        .then(pl.lit("state"))
        .when(name.str.contains(_FUND))
        .then(pl.lit("fund"))
        .when(name.str.contains(_COMPANY))
        .then(pl.lit("company"))
        .otherwise(pl.lit("unknown")),
        "holder_country": code_list_field(rows, "country", "countries", "country"),
        "pct": total,
        "pct_min": total,
        "pct_max": total,
        "votes_pct": votes,
        "votes_min": votes,
        "votes_max": votes,
        "basis": pl.when(total.is_not_null()).then(pl.lit("exact")),
        "controls": pl.lit([], dtype=pl.List(pl.String)),
        "ended_on": pl.when(gone).then(pl.col("valid_from")),
        "url": pl.lit(ARTEFACTS) + pl.col("html_link"),
        "register": pl.lit(KEY),
    }
