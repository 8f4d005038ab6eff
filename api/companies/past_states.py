"""`as_of` and `known_at`: which state of a company a request asks for, and what a response says of it.

See docs/contract/contract.md 4.4a. Does not belong here: finding the state (`warehouse.reader.company_state`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Self, TypeVar

from api.common.clock import format_instant
from api.companies.lookup import company_not_found
from api.companies.query_params import StateParams
from api.http.context import RequestContext
from api.http.pagination.responses import PageMembers
from api.http.response_headers import Headers, modified_on
from api.problems.problem import ProblemError, new_problem, parameter_problem
from warehouse.reader.reader import CompanyState, NotKnownThenError, PinnedRelease, StateQuery
from warehouse.schema.identifiers import CompanyNumber

T = TypeVar("T")


def check_day_has_come(as_of: date | None, today: date) -> None:
    """400 for a day to come: nothing is known of it."""
    if as_of is not None and as_of > today:
        raise parameter_problem("as_of", "out_of_range", "must not be later than today (UTC)")


@dataclass(frozen=True, slots=True)
class AskedState:
    """The state that a request names, and the moment of the request. `now` and `today` are the defaults."""

    query: StateQuery
    now: datetime
    today: date

    @classmethod
    def read(cls, context: RequestContext, values: StateParams) -> Self | None:
        """The state that a query names; None if it names none. 400 for a day or an instant in the future."""
        if values.as_of is None and values.known_at is None:
            return None
        clock = context.services.clock
        now, today = clock.now(), clock.today()
        check_day_has_come(values.as_of, today)
        if values.known_at is not None and values.known_at > now:
            raise parameter_problem("known_at", "out_of_range", "must not be later than now")
        return cls(StateQuery(values.known_at, values.as_of), now, today)

    @property
    def day(self) -> date:
        """The day whose owners are served: the named one, else that of the instant, as was served then."""
        return self.query.as_of or (self.query.known_at or self.now).date()

    @property
    def day_member(self) -> bytes:
        """The day as responses state it."""
        return b'"as_of":"' + (self.query.as_of or self.today).isoformat().encode() + b'"'

    @property
    def instant_member(self) -> bytes:
        """The instant as responses state it."""
        return b'"known_at":"' + str(format_instant(self.query.known_at or self.now)).encode() + b'"'

    @property
    def has_fixed_instant(self) -> bool:
        """Whether the instant is named; else it differs from request to request, and tags leave it out."""
        return self.query.known_at is not None

    def page_members(self, totals: bytes) -> PageMembers:
        """The members of a list about a company: `totals`, and the instant."""
        if self.has_fixed_instant:
            return PageMembers(totals + b"," + self.instant_member)
        return PageMembers(totals, self.instant_member)

    def stamps(self, headers: Headers) -> Headers:
        """The headers of a response: one that states today changes with the day, even where the release is older."""
        if self.query.as_of is not None:
            return headers
        return modified_on(headers, self.today)

    def answer(self, snapshot: PinnedRelease, number: CompanyNumber, query: Callable[[CompanyState], T]) -> T:
        """What a query finds in the state; 404 if no kept release has the company, or nothing of it was known then."""
        try:
            state = snapshot.company_state(number.company_id, self.query)
            if state is None:
                raise company_not_found(number)
            return query(state)
        except NotKnownThenError as error:
            raise self._not_known_problem(number, error) from None

    def _not_known_problem(self, number: CompanyNumber, error: NotKnownThenError) -> ProblemError:
        """404 with the reason: before the history that is kept, or before the first known state of the company."""
        if error.begins is not None:
            return new_problem(
                "company_not_known_then",
                f"What was known is kept since {error.begins}; nothing is known of an earlier state.",
                reason="before_history",
            )
        return new_problem(
            "company_not_known_then", f"Nothing was known of company {number.org_number} then.", reason="not_known_yet"
        )
