"""Turns filings of one response into staged rows, with signals for manual review.

Does not belong here: decoding (`parse`), files (`dataset`), or which filing's value counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, Final

from connectors.contract.pieces import Batch
from connectors.kit import staging
from connectors.us.companyfacts.parse import CompanyFacts
from connectors.us.companyfacts.schema import FACTS, FILERS
from connectors.us.financials import concepts, figure_rules, revenue_rules, tagged_figures
from connectors.us.financials.model import Facts, FactsFiling, Span
from connectors.us.financials.versions import filing_period
from connectors.us.submissions.structs import scalar_text

CHUNK: Final = 40_000  # rows of one batch
_TWO: Final = 2


class FactRowCollector(staging.BatchBuilder):
    """Collects rows of many responses until they make a batch."""

    def __init__(self, dataset: str) -> None:
        super().__init__(dataset)
        self._rows: list[dict[str, Any]] = []
        self._filers: dict[str, str] = {}

    @property
    def is_full(self) -> bool:
        return len(self._rows) >= CHUNK

    def take(self, cik: str, facts: CompanyFacts) -> None:
        """Adds the rows of one response."""
        filings = facts.filings.values()
        for filing in filings:
            self._rows.extend(fact_rows(cik, filing))
        if (name := scalar_text(facts.name)) is not None:
            self._filers[cik] = " ".join(name.split())
        for figure in figures_no_longer_tagged(filings):
            self.tally.add("figure_no_longer_tagged", figure, cik)
        for filing in filings:
            if filing.focus is None:
                self.tally.add("no_fiscal_year", filing.form, cik)
            for side in unbalanced_assets(filing):
                self.tally.add("does_not_balance", side, filing.accession)
            for tag in sorted(tags_of_opposite_sign(filing)):
                self.tally.add("opposite_sign", tag, filing.accession)

    def batches(self) -> Iterator[Batch]:
        """Yields the collected rows as batches and clears them."""
        yield self.build(FACTS, self._rows)
        yield self.build(FILERS, [{"cik": cik, "name": name} for cik, name in self._filers.items()])
        self._rows, self._filers = [], {}


def fact_rows(cik: str, filing: FactsFiling) -> Iterator[dict[str, Any]]:
    """One row per unit and span of one filing."""
    head = {
        "cik": cik,
        "accession": filing.accession,
        "form": filing.form,
        "filed": date.fromisoformat(filing.filed),
        "focus": filing.focus,
    }
    for unit, spans in filing.units.items():
        for (start, end), facts in spans.items():
            if not facts:
                continue
            yield {
                **head,
                "unit": unit,
                "span": f"{start}/{end}" if start else end,
                "period_start": date.fromisoformat(start) if start else None,
                "period_end": date.fromisoformat(end),
                **facts,
            }


def unbalanced_assets(filing: FactsFiling) -> Iterator[str]:
    """Total assets of balance sheets that do not balance (docs/formats/us.md 12.3)."""
    for spans in filing.units.values():
        for facts in spans.values():
            for assets, other in concepts.SIDES:
                if assets in facts and facts.get(other, facts[assets]) != facts[assets]:
                    yield assets


def tags_of_opposite_sign(filing: FactsFiling) -> set[str]:
    """Tags of amounts that a statement of the filing has with the other sign too."""
    spans = (facts for found in filing.units.values() for facts in found.values())
    return {tag for facts in spans for tag in figure_rules.tags_of_opposite_sign(facts)}


def figures_no_longer_tagged(filings: Iterable[FactsFiling]) -> Iterator[str]:
    """Figures in a filer's last but one annual report that the newest lacks: perhaps a changed tag."""
    annual = sorted(
        (filing for filing in filings if filing.is_annual and not filing.is_amendment), key=lambda filing: filing.filed
    )
    if len(annual) < _TWO:
        return
    before, newest = map(_own_figures, annual[-_TWO:])
    yield from sorted(before - newest if newest else ())


def _own_figures(filing: FactsFiling) -> set[str]:
    spans = filing.facts_in(filing.currency())
    flows: dict[Span, Facts] = {span: facts for span, facts in spans.items() if span[0] and span[1] <= filing.filed}
    own = filing_period(filing, flows, spans)
    if own is None:
        return set()
    filer = tagged_figures.filer_type_of(tag for facts in spans.values() for tag in facts)
    facts, balance = spans[own], spans.get(("", own[1]), {})
    found = {
        "revenue": revenue_rules.revenue_figure(facts, filer),
        "operating_result": tagged_figures.first_tagged(facts, concepts.OPERATING),
        "net_result": tagged_figures.first_tagged(facts, concepts.NET_RESULT),
        "equity": tagged_figures.first_tagged(balance, concepts.EQUITY),
        "total_assets": tagged_figures.first_tagged(balance, concepts.ASSETS),
    }
    return {name for name, figure in found.items() if figure is not None}
