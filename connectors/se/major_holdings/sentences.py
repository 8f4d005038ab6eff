"""Reads the position of a notice from its sentences, in figures or bounds, and the previous position.

Nothing is guessed: two figures for one value, a figure on the wrong side of a threshold, or a percentage of
unknown meaning give a reason instead of a position. Does not belong here: roles of single figures
(`percentage_roles`), names (`holder_names`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from connectors.nasdaq.major_holdings.form_row import FormColumn, NotFlaggingFormError, PercentageLevel
from connectors.se.major_holdings.percentage_roles import (
    FigureWithRole,
    PercentageRole,
    assign_roles,
    has_sold_everything,
)
from connectors.se.major_holdings.percentages import PercentageFigure

_KINDS: Final = ("shares", "votes")
_ROLES: Final = (PercentageRole.AFTER, PercentageRole.BEFORE, PercentageRole.UP, PercentageRole.DOWN)


@dataclass(slots=True)
class _StatedFigures:
    """Figures and bounds collected for shares or votes."""

    after: set[Decimal] = field(default_factory=set)
    before: set[Decimal] = field(default_factory=set)
    above: set[Decimal] = field(default_factory=set)
    below: set[Decimal] = field(default_factory=set)

    def bounds(self) -> PercentageLevel | None:
        """Tightest bounds; None without any. Raises NotFlaggingFormError if they exclude each other."""
        above, below = max(self.above, default=None), min(self.below, default=None)
        if above is not None and below is not None and above >= below:
            raise NotFlaggingFormError("above one threshold and below another")
        return None if above is None and below is None else PercentageLevel(above=above, below=below)

    def fits(self, exact: Decimal) -> bool:
        return all(exact >= limit for limit in self.above) and all(exact <= limit for limit in self.below)


def find_positions(sentences: list[str]) -> tuple[FormColumn, FormColumn | None]:
    """Shares and votes after the transaction, and before it if stated.

    Raises NotFlaggingFormError with the reason.
    """
    told = [one for one in assign_roles(sentences) if one.role in _ROLES]
    heard = {kind: _StatedFigures(after={Decimal(0)} if has_sold_everything(sentences) else set()) for kind in _KINDS}
    loose = [one for one in told if not _add_figure(heard, one)]
    levels = [_resolve_level(heard[kind]) for kind in _KINDS]
    _check_unassigned(loose, levels)
    if not any(levels):
        raise NotFlaggingFormError("no percentage held after the transaction")
    before = [_single_level(heard[kind].before) for kind in _KINDS]
    return FormColumn(*levels), FormColumn(*before) if any(before) else None


def _add_figure(heard: dict[str, _StatedFigures], one: FigureWithRole) -> bool:
    """Adds a figure to shares or votes; False if the text does not state which."""
    figure = one.figure
    if one.role is PercentageRole.AFTER:
        if figure.is_shares_and_votes:
            raise NotFlaggingFormError("two percentages, and not which is of shares and which of votes")
        if one.has_instruments:
            raise NotFlaggingFormError("shares and financial instruments are given together")
    is_of = {"shares": figure.is_of_shares, "votes": figure.is_of_votes}
    kinds = [kind for kind in _KINDS if is_of[kind]]
    for kind in kinds:
        _place_figure(heard[kind], one.role, figure)
    return bool(kinds)


def _place_figure(heard: _StatedFigures, role: PercentageRole, figure: PercentageFigure) -> None:
    match role:
        case PercentageRole.UP:
            heard.above.add(figure.percent)
        case PercentageRole.DOWN:
            heard.below.add(figure.percent)
        case PercentageRole.AFTER if figure.side is not None:
            (heard.above if figure.side == "above" else heard.below).add(figure.percent)
        case PercentageRole.AFTER if not figure.is_approximate:
            heard.after.add(figure.percent)
        case PercentageRole.BEFORE if figure.side is None and not figure.is_approximate:
            heard.before.add(figure.percent)
        case _:  # an approximation is no figure
            pass


def _resolve_level(heard: _StatedFigures) -> PercentageLevel | None:
    if len(heard.after) > 1:
        raise NotFlaggingFormError(
            f"{' and '.join(map(str, sorted(heard.after)))} percent of the same after the transaction"
        )
    exact = next(iter(heard.after), None)
    if exact is None:
        return heard.bounds()
    if not heard.fits(exact):
        raise NotFlaggingFormError(f"{exact} percent contradicts the threshold")
    return PercentageLevel(exact=exact)


def _check_unassigned(loose: Iterable[FigureWithRole], levels: list[PercentageLevel | None]) -> None:
    """Checks unqualified figures, like a headline's «5,3 procent»: they may only repeat a known level."""
    exact = {level.exact for level in levels if level is not None and level.exact is not None}
    for one in loose:
        percent, side = one.figure.percent, one.figure.side
        if one.role is PercentageRole.AFTER and side is None and percent not in exact:
            if not (one.figure.is_approximate and exact):
                raise NotFlaggingFormError(f"{percent} percent of something unspecified")
        elif one.role in (PercentageRole.UP, PercentageRole.DOWN) or (
            side is not None and one.role is PercentageRole.AFTER
        ):
            is_up = one.role is PercentageRole.UP or side == "above"
            if exact and not any(value >= percent if is_up else value <= percent for value in exact):
                raise NotFlaggingFormError(f"no figure fits the threshold of {percent} percent")


def _single_level(before: set[Decimal]) -> PercentageLevel | None:
    """Level before the transaction; None if there are two."""
    return PercentageLevel(exact=next(iter(before))) if len(before) == 1 else None
