"""Turns filings of one response into staged rows, with signals for manual review.

Does not belong here: decoding (`companyfacts_json`), files (`companyfacts`), or which filing's value counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, Final

from connectors.declare import Batch
from connectors.kit import staged
from connectors.kit.staged import Tally
from connectors.us import chains, facts_tags
from connectors.us.companyfacts_json import Answer
from connectors.us.companyfacts_schema import FACTS, FILERS
from connectors.us.facts_model import Facts, Filing, Span
from connectors.us.facts_versions import own_period

CHUNK: Final = 40_000  # rows of one batch
_TWO: Final = 2


class Collected:
    """Collects rows of many responses until they make a batch."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self._rows: list[dict[str, Any]] = []
        self._filers: dict[str, str] = {}
        self._rejects: list[tuple[object, str, object]] = []

    @property
    def is_full(self) -> bool:
        return len(self._rows) >= CHUNK

    def take(self, cik: str, answer: Answer) -> None:
        """Adds the rows of one response."""
        filings = answer.filings.values()
        for filing in filings:
            self._rows.extend(rows(cik, filing))
        if answer.name:
            self._filers[cik] = " ".join(answer.name.split())
        for figure in no_longer_tagged(filings):
            self.tally.add("figure_no_longer_tagged", figure, cik)
        for filing in filings:
            if filing.focus is None:
                self.tally.add("no_fiscal_year", filing.form, cik)
            for side in unbalanced(filing):
                self.tally.add("does_not_balance", side, filing.accession)

    def reject(self, name: str, reason: str) -> None:
        """Records a member that could not be read."""
        self._rejects.append((name, reason, ""))

    def batches(self) -> Iterator[Batch]:
        """Yields the collected rows as batches and clears them."""
        names = [{"cik": cik, "name": name} for cik, name in self._filers.items()]
        yield staged.batch(FACTS, self._rows, staged.reject_rows(self._rejects), self.tally.drain())
        yield staged.batch(FILERS, names)
        self._rows, self._filers, self._rejects = [], {}, []


def rows(cik: str, filing: Filing) -> Iterator[dict[str, Any]]:
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


def unbalanced(filing: Filing) -> Iterator[str]:
    """Total assets of balance sheets that do not balance (docs/formats/us.md 12.3)."""
    for spans in filing.units.values():
        for facts in spans.values():
            for assets, other in facts_tags.SIDES:
                if assets in facts and facts.get(other, facts[assets]) != facts[assets]:
                    yield assets


def no_longer_tagged(filings: Iterable[Filing]) -> Iterator[str]:
    """Figures in a filer's last but one annual report that the newest lacks: perhaps a changed tag."""
    annual = sorted(
        (filing for filing in filings if filing.is_annual and not filing.is_amendment),
        key=lambda filing: filing.filed,
    )
    if len(annual) < _TWO:
        return
    before, newest = map(_own_figures, annual[-_TWO:])
    yield from sorted(before - newest if newest else ())


def _own_figures(filing: Filing) -> set[str]:
    spans = filing.units.get(filing.currency() or "", {})
    flows: dict[Span, Facts] = {
        span: facts for span, facts in spans.items() if span[0] and span[1] <= filing.filed
    }
    own = own_period(filing, flows, spans)
    if own is None:
        return set()
    filer = chains.filer_of(tag for facts in spans.values() for tag in facts)
    facts, balance = spans[own], spans.get(("", own[1]), {})
    found = {
        "revenue": chains.revenue(facts, filer),
        "operating_result": chains.first(facts, facts_tags.OPERATING),
        "net_result": chains.first(facts, facts_tags.NET_RESULT),
        "equity": chains.first(balance, facts_tags.EQUITY),
        "total_assets": chains.first(balance, facts_tags.ASSETS),
    }
    return {name for name, figure in found.items() if figure is not None}
