"""Derives the status of a US filer from its filings, with the reason; EDGAR states none.

See docs/formats/us.md 12.2.

P is the newest report or registration of the company itself, D the newest end of its registration (Form 15)
that no report follows, X a removal of its shares from listing (Form 25). Chapter 11 (8-K item 1.03) alone
changes nothing; neither does a removal of notes, warrants or preferred stock; a company that trades over the
counter is active.

Belongs here: the deciding facts, and the table of rules. Does not belong here: the rest of the profile.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import AbsenceRule, PresentRows
from connectors.kit.staging import present_rows
from connectors.kit.status_rules import StatusRule, rule_columns
from connectors.us import form_types
from connectors.us.filing_headers import dataset as filing_headers
from connectors.us.filing_headers import schema as r
from connectors.us.submissions import schema as f
from connectors.us.submissions.status_evidence import AFTER, AROUND, BANKRUPTCY, SILENT_MONTHS

AFTER_DAYS: Final = AFTER.days
AROUND_DAYS: Final = AROUND.days
MERGER_MONTHS: Final = 18  # of our own choosing: between a merger's documents and the end
BANKRUPTCY_MONTHS: Final = 24  # of our own choosing: between item 1.03 and the end of registration
_CONTROL: Final = "5.01"
_TERMINATED: Final = "1.02"  # an agreement: alone that of the merger; beside these it is replaced, or was performed
_PERFORMED: Final = ("1.01", "2.01", "2.03", "3.01", _CONTROL)
_COMPLETED: Final = ("2.01", "3.01")
_EXTINGUISHED: Final = ("(a)(3)", "(a)(4)")
_BLANK_CHECK: Final = "6770"
_BANKS: Final = ("6021", "6022", "6029", "6035", "6036")  # not holding companies
_LISTING: Final = ("Nasdaq", "NYSE", "CBOE")
_REVOKED: Final = "REVOKED"  # of all classes, whatever a header says
# Form 15 ends the registration of shares unless its text is about another class: that takes the text
ENDS_READ: Final = AbsenceRule(
    name="us.status.ends_of_other_classes",
    reads=(filing_headers.DATASET, filing_headers.ENDINGS_DATASET),
    undecided=pl.col("status_source").is_null() & pl.col("registered_date").is_not_null(),
)


def status_facts(present: PresentRows) -> pl.LazyFrame:
    """One row per filer: the newest report, the end of registration, the removal, and the reasons.

    `_report`, `_ended`, `_removed`: day and source text of each; null where there is none. `_reports_itself`: whether
    any report is not of a kind that funds file.
    """
    filed = present_rows(present, f.FILED_TABLE).filter(pl.col("_retired_at").is_null())
    named = filed.with_columns(
        _day=pl.col(f.FILED),
        _word=pl.concat_str(f.FORM, f.ACCESSION, separator=" "),
        _mark=pl.concat_str(pl.col(f.FILED).dt.to_string("%Y-%m-%d"), f.ACCESSION, f.FORM, separator=" "),
    )
    reporting, own = (form_types.is_in_family(pl.col(f.FORM), one) for one in (form_types.REPORTING, form_types.OWN))
    reports = _newest_per_filer(named.filter(reporting), "_report")
    reports = reports.join(named.group_by(f.CIK).agg(_reports_itself=own.any()), on=f.CIK, how="left")
    ends = _newest_per_filer(_registration_ends(named, present), "_ended")
    taken_back = form_types.is_in_family(pl.col(f.FORM), form_types.ENDING) & pl.col(f.FORM).str.ends_with(
        form_types.AMENDED
    )
    back = named.filter(taken_back).group_by(f.CIK).agg(_back=pl.col("_day").max())
    found = reports.join(ends, on=f.CIK, how="full", coalesce=True)
    found = found.join(_standing_removals(present, named), on=f.CIK, how="full", coalesce=True)
    anchored = found.join(back, on=f.CIK, how="left").with_columns(*_end_anchors())
    ended = anchored.select(f.CIK, "_anchor", "_removed").filter(pl.col("_anchor").is_not_null())
    told = anchored.join(_end_reasons(named.join(ended, on=f.CIK)), on=f.CIK, how="left").with_columns(
        _is_unread=pl.lit(not ENDS_READ.has_data(present)) & ~pl.col("_ended_word").str.starts_with(_REVOKED)
    )
    return told.join(_stated_ends(present, ended), on=f.CIK, how="left")


def _newest_per_filer(found: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """The newest row of each filer: its day, text, form and accession number."""
    mark = pl.col("_mark").max()
    return found.group_by(f.CIK).agg(
        pl.col("_day").max().alias(name),
        pl.concat_str(mark.str.slice(32), mark.str.slice(11, 20), separator=" ").alias(f"{name}_word"),
    )


def _registration_ends(named: pl.LazyFrame, present: PresentRows) -> pl.LazyFrame:
    """Forms 15 and revocations, except those explicitly about classes other than shares."""
    original = pl.col(f.FORM).is_in(sorted(form_types.ENDING))
    partial = present_rows(present, r.DEREGISTERED).filter(
        (pl.col(r.IS_SHARE) == pl.lit(value=False)) & (pl.col("is_last") == pl.lit(value=False))
    )
    return named.filter(original).join(partial, on=[f.CIK, f.ACCESSION], how="anti")


def _share_removals(present: PresentRows) -> pl.LazyFrame:
    """The newest removal of a company's own shares, if the form itself says that it concerns shares."""
    shares = present_rows(present, r.REMOVALS).filter(pl.col(r.IS_SHARE), pl.col(r.FILED).is_not_null())
    newest = shares.sort(r.FILED, r.ACCESSION).group_by(r.CIK, maintain_order=True).last()
    return newest.select(
        pl.col(r.CIK).alias(f.CIK),
        pl.col(r.FILED).alias("_removed"),
        pl.coalesce(r.EFFECTIVE, pl.col(r.FILED).dt.offset_by("10d")).alias("_effective"),
        pl.concat_str(pl.lit("25-NSE "), r.ACCESSION).alias("_removed_word"),
        pl.col(r.RULE).is_in(_EXTINGUISHED).fill_null(value=False).alias("_extinguished"),
    )


def _standing_removals(present: PresentRows, named: pl.LazyFrame) -> pl.LazyFrame:
    """Removals that no amendment follows: one may withdraw it, and nothing in it says so."""
    amendment = form_types.is_in_family(pl.col(f.FORM), form_types.REMOVAL) & pl.col(f.FORM).str.ends_with(
        form_types.AMENDED
    )
    amended = named.filter(amendment).group_by(f.CIK).agg(_amended=pl.col("_day").max())
    stands = pl.col("_amended").is_null() | (pl.col("_amended") < pl.col("_removed"))
    return _share_removals(present).join(amended, on=f.CIK, how="left").filter(stands).drop("_amended")


def _end_anchors() -> list[pl.Expr]:
    """Whether registration has ended, whether the shares are removed, and the day to seek reasons around."""
    after = pl.duration(days=AFTER_DAYS)
    silent = pl.col("_report").is_null() | (pl.col("_report") <= pl.col("_ended") + after)
    standing = pl.col("_back").is_null() | (pl.col("_back") < pl.col("_ended"))
    ended = pl.col("_ended").is_not_null() & silent & standing
    quiet = pl.col("_report").is_null() | (pl.col("_report") <= pl.col("_effective") + after)
    gone = pl.col("_removed").is_not_null() & pl.col("_extinguished") & quiet
    return [
        ended.alias("_has_ended"),
        gone.fill_null(value=False).alias("_is_gone"),
        pl.when(ended).then("_ended").when(gone).then("_removed").alias("_anchor"),
    ]


def _is_near_end(day: pl.Expr) -> pl.Expr:
    """Whether a day is near the end of registration or the removal of the shares."""
    spans = [(day - pl.col(mark)).dt.total_days().abs() <= AROUND_DAYS for mark in ("_anchor", "_removed")]
    return pl.any_horizontal(span.fill_null(value=False) for span in spans)


def _is_within_months(day: pl.Expr, months: int) -> pl.Expr:
    return day.is_between(pl.col("_anchor").dt.offset_by(f"-{months}mo"), pl.col("_anchor"))


def _end_reasons(around: pl.LazyFrame) -> pl.LazyFrame:
    """Per filer that has ended, whether a merger or a bankruptcy explains it.

    A report of a bankruptcy together with new owners means a plan, not a merger, and merger documents from
    before a bankruptcy, or before the end of an agreement that nothing replaces, belong to a merger that failed.
    """
    form, items, day = pl.col(f.FORM), pl.col(f.ITEMS), pl.col("_day")
    current = form_types.base_form(form) == "8-K"
    bankrupt = current & items.list.contains(BANKRUPTCY)
    completed = pl.any_horizontal(items.list.contains(item) for item in _COMPLETED)
    merged = current & items.list.contains(_CONTROL) & completed & ~bankrupt & _is_near_end(day)
    offer = (form_types.base_form(form) == form_types.OFFER) & pl.col(f.FILE_NUMBER).str.starts_with(form_types.SUBJECT)
    removal = form_types.is_in_family(form, form_types.REMOVAL) & _is_near_end(day)
    recent = _is_within_months(day, MERGER_MONTHS)
    is_kept = pl.any_horizontal(items.list.contains(item) for item in _PERFORMED)
    terminated = current & items.list.contains(_TERMINATED) & ~is_kept & recent
    fallen = bankrupt & _is_within_months(day, BANKRUPTCY_MONTHS)
    of_itself = form_types.is_about_filer_itself(pl.col(f.CIK), form, pl.col(f.ACCESSION))
    told = around.group_by(f.CIK).agg(
        _is_merged=merged.any(),
        _papers=day.filter(
            (form_types.is_in_family(form, form_types.MERGER) | offer.fill_null(value=False)) & recent
        ).max(),
        _exchanged=day.filter(form_types.is_in_family(form, form_types.EXCHANGE) & recent).max(),
        _fell=day.filter(fallen).max(),
        _terminated=day.filter(terminated).max(),
        _delisted=(removal & of_itself).any(),
    )
    papers = pl.max_horizontal("_papers", pl.when("_delisted").then("_exchanged"))
    failures = (pl.col(name).is_null() | (papers > pl.col(name)) for name in ("_fell", "_terminated"))
    stood = papers.is_not_null() & pl.all_horizontal(failures)
    return told.select(
        f.CIK, "_delisted", "_is_merged", _merged=pl.col("_is_merged") | stood, _fallen=pl.col("_fell").is_not_null()
    )


def _stated_ends(present: PresentRows, ended: pl.LazyFrame) -> pl.LazyFrame:
    """Ends announced in current reports: a certificate of dissolution, a plan of liquidation."""
    day = pl.col(r.FILED)
    said = present_rows(present, r.WORDS).join(ended, left_on=r.CIK, right_on=f.CIK)
    within = _is_within_months(day, BANKRUPTCY_MONTHS) | _is_near_end(day)
    return said.group_by(pl.col(r.CIK).alias(f.CIK)).agg(
        _wound_up=((pl.col(r.SAYS) == r.DISSOLUTION) & _is_near_end(day)).any(),
        _liquidated=((pl.col(r.SAYS) == r.LIQUIDATION) & within).any(),
    )


def status_columns(today: date, register: str) -> list[pl.Expr]:
    """The status columns of `companies`, over filers joined with their `status_facts`.

    A filer without a profile counts as active, with no status source: being named elsewhere is not a register
    statement. So does one that reports while a Form 15 of it cannot be read (`ENDS_READ`); one that is silent then is
    dormant, with no status source if its end has a reason that the text would confirm. A current report of a completed
    merger near that Form 15, and silence since, are ground enough without the text. A listed bank that reports nothing
    here reports to its own supervisor (section 12(i) of the Exchange Act): its silence means nothing.
    """
    known = pl.col("_known")
    due = pl.col("_report").dt.offset_by(f"{SILENT_MONTHS}mo")
    fresh = (due >= pl.lit(today)).fill_null(value=False)
    traded = (pl.col("tickers").list.len() > 0).fill_null(value=False)
    stated = (pl.col("_is_merged") & ~fresh).fill_null(value=False)
    is_unread = (pl.col("_has_ended") & pl.col("_is_unread") & ~stated).fill_null(value=False)
    ended = pl.col("_has_ended").fill_null(value=False) & ~is_unread
    gone = (pl.col("_is_gone") & (pl.col("_effective") <= pl.lit(today))).fill_null(value=False)
    merged, wound_up = (pl.col(name).fill_null(value=False) for name in ("_merged", "_wound_up"))
    shell = (pl.col("sic") == _BLANK_CHECK) & pl.col("_delisted")
    liquidated = (shell | pl.col("_liquidated")).fill_null(value=False)
    over = (ended | gone) & ~(traded & fresh)
    dissolved = over & (merged | wound_up | liquidated)
    fallen = pl.col("_fallen").fill_null(value=False)
    stays = (pl.col("_effective") > pl.lit(today)).fill_null(value=True)
    listed = pl.col("exchanges").list.eval(pl.element().is_in(_LISTING)).list.any()
    elsewhere = (pl.col("sic").is_in(_BANKS) & listed).fill_null(value=False) & stays & ~ended
    active = (fresh & (~ended | traded)) | elsewhere
    end_word = pl.when(ended).then("_ended_word").otherwise("_removed_word")
    rules = (
        StatusRule(over & merged, "dissolved", "merged", pl.col("_anchor"), end_word),
        StatusRule(over & wound_up, "dissolved", "dissolution", pl.col("_anchor"), end_word),
        StatusRule(over & liquidated, "dissolved", "liquidation", pl.col("_anchor"), end_word),
        StatusRule(active, "active", None, pl.lit(None, pl.Date), pl.lit(None, pl.String)),
        StatusRule(ended & fallen, "dormant", "bankruptcy", pl.col("_ended"), pl.col("_ended_word")),
        StatusRule(ended, "dormant", "deregistered", pl.col("_ended"), pl.col("_ended_word")),
        StatusRule(pl.col("_report").is_not_null(), "dormant", "not_reporting", due, pl.col("_report_word")),
    )
    # no report of its own, or no filing at all
    otherwise = StatusRule(pl.lit(value=True), "dormant", None, pl.lit(None, pl.Date), pl.lit(None, pl.String))
    found = rule_columns(rules, otherwise)
    status = found.pop("status")
    # what the text may say: that registration has ended, and then also how
    is_undecided = is_unread & ((status == "active") | (~over & (merged | wound_up | liquidated)))
    return [
        pl.when(known).then(status).otherwise(pl.lit("active")).alias("status"),
        *(pl.when(known).then(column).alias(name) for name, column in found.items()),
        pl.when(known & ~is_undecided).then(pl.lit(register)).alias("status_source"),
        pl.when(known & dissolved).then("_anchor").alias("dissolved_date"),
    ]
