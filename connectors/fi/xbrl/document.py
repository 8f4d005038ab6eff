"""Converts one statement of the XBRL service to a staged row: facts by line item and date, audited.

Belongs here: which fact is which line of which year (docs/formats/fi.md 3.2). Does not belong here: what a line
means for the shared figures (`mapping`).
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

from connectors.contract.pieces import ArchiveMember
from connectors.fi.register import finnish_day, has_check_digit, parse_business_id
from connectors.fi.xbrl import concepts as tags
from connectors.fi.xbrl.schema import DATE, NUMBER
from connectors.kit import staging
from connectors.kit.staging import SignalCounter
from connectors.kit.xbrl.facts import Fact, XbrlReport, choose_fact, first_text, parse_day
from connectors.kit.xbrl.instance import read_report
from connectors.kit.xml.parse import MalformedMarkupError

_FETCHED: Final = re.compile(r"(?<!\d)(\d{7}-\d)_(\d{4}-\d{2}-\d{2})\.")  # what was requested
_DATED: Final = re.compile(r"(\d{4}-\d{2}-\d{2})(?!.*\d{4}-\d{2}-\d{2})")
_LARGEST: Final = 1 << 62
_DAY: Final = timedelta(days=1)

Amounts = Mapping[str, Decimal]


def statement_row(member: ArchiveMember, body: bytes, tally: SignalCounter) -> dict[str, Any]:
    """The row of one statement. Raises UnreadableFileError if the body is not a statement."""
    with staging.unreadable_on(member, MalformedMarkupError, "expected a statement in XBRL"):
        report = read_report(body, tags.WANTED)
    return _StatementReader(member, report, tally).row(hashlib.sha256(body).hexdigest())


class _StatementReader:
    """The facts of one statement."""

    def __init__(self, piece: ArchiveMember, report: XbrlReport, tally: SignalCounter) -> None:
        self._piece = piece
        self._report = report
        self._tally = tally
        self._by_name: dict[str, list[Fact]] = defaultdict(list)
        for fact in report.facts:
            self._by_name[fact.name].append(fact)
        self._number = self._find_business_id()

    def row(self, sha256: str) -> dict[str, Any]:
        self._audit_document()
        end = self._find_end()
        start = self._find_start(end)
        self._audit_request(end)
        current, prior, prior_end = self._current_and_prior_lines(start, end)
        self._audit_sums(current, "")
        self._audit_sums(prior, tags.PRIOR)
        stated = current or prior
        return {
            NUMBER: self._number,
            DATE: end,
            "di120": start,
            "si168": first_text(self._by_name[tags.NAME]),
            "sha256": sha256,
            "currency": tags.CURRENCY if stated else None,
            "priorDate": prior_end,
            **{line: self._to_whole_euros(line, amount) for line, amount in current.items()},
            **{line + tags.PRIOR: self._to_whole_euros(line, amount) for line, amount in prior.items()},
        }

    def _find_business_id(self) -> str:
        """The business id of the contexts (scheme ytj.fi), else the tagged one."""
        said = {fact.context.entity for fact in self._report.facts if fact.context}
        tagged = first_text(self._by_name[tags.NUMBER])
        numbers = sorted({number for text in said if (number := parse_business_id(text))})
        if len(numbers) > 1:
            raise self._piece.unreadable_error(f"statements of {' and '.join(numbers)} in one")
        number = numbers[0] if numbers else parse_business_id(tagged)
        if number is None:
            raise self._piece.unreadable_error("no business id in any context")
        if tagged is not None and parse_business_id(tagged) != number:
            self._tally.add("other_business_id", "si289 is not the id of the contexts", number)
        if not has_check_digit(number):
            self._tally.add("wrong_check_digit", NUMBER, number)
        return number

    def _audit_request(self, end: date) -> None:
        """Signals a statement of another company or year than the file's name says was requested."""
        requested = _FETCHED.search(self._piece.name)
        if requested is not None and requested[1] != self._number:
            self._tally.add("other_business_id", "the file's name is of another company", self._number)
        if requested is not None and requested[2] != end.isoformat():
            self._tally.add("other_period", "the file's name is of another year", self._number)

    def _audit_document(self) -> None:
        for (code, subject), count in self._report.signals.items():
            self._tally.add(code, subject, self._number, count)
        for schema in self._report.schemas:
            if tags.TAXONOMY not in schema:
                self._tally.add("unknown_taxonomy", schema.rpartition("/")[2], self._number)

    def _tagged_date(self, name: str) -> date | None:
        """The day of a tag; of two that differ none, as nothing says which is meant."""
        texts = {text for fact in self._by_name[name] if (text := first_text([fact])) is not None}
        if len(texts) > 1:
            self._tally.add("conflicting_facts", name, self._number)
            return None
        text = next(iter(texts), None)
        found = parse_day(text, is_end=False)
        if text is not None and found is None:
            self._tally.add("unreadable_value", name, self._number)
        return found

    def _find_end(self) -> date:
        """Period end: di121, else the date in the file name, else the latest instant. A day still to come is none."""
        seen = finnish_day(self._piece.observed_at)
        tagged = self._tagged_date(tags.END)
        if tagged is not None and tagged <= seen:
            return tagged
        if tagged is not None:
            self._tally.add("unreadable_value", "di121 is in the future", self._number)
        named = _DATED.search(self._piece.name)
        instants = (fact.context.end for fact in self._report.facts if fact.context and fact.context.end)
        past = (instant for instant in instants if instant <= seen)
        end = parse_day(named.group(1), is_end=False) if named else max(past, default=None)
        if end is None or end > seen:
            raise self._piece.unreadable_error("no last day that is past: neither di121 nor any instant")
        self._tally.add("no_period", "di121 is missing", self._number)
        return end

    def _find_start(self, end: date) -> date | None:
        """Period start: di120; without it no figure has a period."""
        start = self._tagged_date(tags.START)
        if start is not None and start > end:
            self._tally.add("unreadable_value", "di120 after di121", self._number)
            return None
        if start is None:
            self._tally.add("no_period", "di120 is missing", self._number)
        return start

    def _current_and_prior_lines(self, start: date | None, end: date) -> tuple[Amounts, Amounts, date | None]:
        """Lines of the year and of the previous year, by member and instant, for any element.

        A comparative has a reference, or only the earlier instant (docs/formats/fi.md 3.2): a fact with a reference
        belongs to the previous period, whatever its instant.
        """
        before = None if start is None else start - _DAY
        current: dict[str, list[Fact]] = defaultdict(list)
        earlier: dict[date, dict[str, list[Fact]]] = defaultdict(lambda: defaultdict(list))
        for fact in self._report.facts:
            placed = self._place_fact(fact, before, end)
            if placed is None:
                continue
            line, instant, is_prior = placed
            (earlier[instant] if is_prior else current)[line].append(fact)
        prior_end = max(earlier, default=None) if before is None else before
        if before is not None and set(earlier) - {before}:
            self._tally.add("other_comparatives", "comparatives of another day than before di120", self._number)
        prior = earlier.get(prior_end) if prior_end else None
        if prior is None or prior_end is None:
            return self._chosen_amounts(current), {}, None
        return self._chosen_amounts(current), self._chosen_amounts(prior), prior_end

    def _place_fact(self, fact: Fact, before: date | None, end: date) -> tuple[str, date, bool] | None:
        """Line, instant and whether it is a comparative; None for a line that is not used."""
        context = fact.context
        if fact.name not in tags.ELEMENTS or context is None or context.end is None:
            return None
        axes = {dimension.axis: dimension.member for dimension in context.dimensions}
        line, reference = axes.pop(tags.LINE_AXIS, None), axes.pop(tags.REFERENCE_AXIS, None)
        for axis, member in axes.items():
            self._tally.add("unknown_dimension", f"{axis} {member}", self._number)
        if reference is not None and reference not in tags.COMPARATIVES:
            self._tally.add("unknown_code", f"REF {reference}", self._number)
            return None
        if axes or line not in tags.LINES:
            return None
        if fact.unit is None or fact.unit.currency != tags.CURRENCY:
            self._tally.add("other_currency", str(fact.unit and fact.unit.currency), self._number)
            return None
        instant = context.end if reference is None or before is None else before
        is_prior = reference is not None or instant < end
        if (is_prior and instant >= end) or instant > end:
            self._tally.add("other_instant", f"{line} after the end of its year", self._number)
            return None
        return line, instant, is_prior

    def _chosen_amounts(self, lines: Mapping[str, Sequence[Fact]]) -> Amounts:
        """Amounts by line. Of a contradicted line there is none, and its counterpart counts only if it repeats one."""
        found: dict[str, Decimal] = {}
        contradicted: dict[str, set[Decimal | None]] = {}
        for line, facts in lines.items():
            stated = [fact for fact in facts if fact.number is not None]
            choice = choose_fact(stated) if stated else None
            if choice is not None and not choice.agree:
                self._tally.add("conflicting_facts", line, self._number)
                contradicted[line] = {fact.number for fact in stated}
            elif choice is not None and choice.fact.number is not None:
                found[line] = choice.fact.number
        for line, other in tags.COUNTERPARTS.items():
            if line in contradicted and found.get(other) not in contradicted[line]:
                found.pop(other, None)
        return found

    def _audit_sums(self, amounts: Amounts, suffix: str) -> None:
        for what, total, parts in (*tags.EQUAL, *tags.PARTS):
            if total in amounts and all(part in amounts for part in parts):
                difference = amounts[total] - sum(amounts[part] for part in parts)
                if difference:
                    self._tally.add("does_not_add_up", what + suffix, self._number)

    def _to_whole_euros(self, line: str, amount: Decimal) -> int | None:
        """Rounds to whole euros, halves to even (docs/contract/contract.md 4.0, money)."""
        whole = int(amount.to_integral_value(ROUND_HALF_EVEN)) if abs(amount) < _LARGEST else None
        if whole is None:
            self._tally.add("amount_out_of_range", line, self._number)
        return whole
