"""Reads the position of a notice from its sentences, in figures or bounds, and the previous position.

Nothing is guessed: two figures for one value, a figure on the wrong side of a threshold, or a percentage of
unknown meaning give a reason instead of a position. Does not belong here: roles of single figures
(`flagging_roles`), names (`flagging_names`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from connectors.nasdaq.flagging_row import Column, Level, NoForm
from connectors.se.flagging_figures import Figure
from connectors.se.flagging_roles import Role, Told, has_left, roles

_KINDS: Final = ("shares", "votes")
_ROLES: Final = (Role.AFTER, Role.BEFORE, Role.UP, Role.DOWN)


@dataclass(slots=True)
class _Heard:
    """Figures and bounds collected for shares or votes."""

    after: set[Decimal] = field(default_factory=set)
    before: set[Decimal] = field(default_factory=set)
    above: set[Decimal] = field(default_factory=set)
    below: set[Decimal] = field(default_factory=set)

    def bounds(self) -> Level | None:
        """Tightest bounds; None without any. Raises NoForm if they exclude each other."""
        above, below = max(self.above, default=None), min(self.below, default=None)
        if above is not None and below is not None and above >= below:
            raise NoForm("above one threshold and below another")
        return None if above is None and below is None else Level(above=above, below=below)

    def fits(self, exact: Decimal) -> bool:
        return all(exact >= limit for limit in self.above) and all(exact <= limit for limit in self.below)


def position(sentences: list[str]) -> tuple[Column, Column | None]:
    """Shares and votes after the transaction, and before it if stated. Raises NoForm with the reason."""
    told = [one for one in roles(sentences) if one.role in _ROLES]
    heard = {kind: _Heard(after={Decimal(0)} if has_left(sentences) else set()) for kind in _KINDS}
    loose = [one for one in told if not _take(heard, one)]
    levels = [_level(heard[kind]) for kind in _KINDS]
    _judge_loose(loose, levels)
    if not any(levels):
        raise NoForm("no percentage held after the transaction")
    before = [_one(heard[kind].before) for kind in _KINDS]
    return Column(*levels), Column(*before) if any(before) else None


def _take(heard: dict[str, _Heard], one: Told) -> bool:
    """Adds a figure to shares or votes; False if the text does not state which."""
    figure = one.figure
    if one.role is Role.AFTER:
        if figure.is_twofold:
            raise NoForm("two percentages, and not which is of shares and which of votes")
        if one.has_instruments:
            raise NoForm("shares and financial instruments are given together")
    kinds = [kind for kind in _KINDS if getattr(figure, kind)]
    for kind in kinds:
        _put(heard[kind], one.role, figure)
    return bool(kinds)


def _put(heard: _Heard, role: Role, figure: Figure) -> None:
    match role:
        case Role.UP:
            heard.above.add(figure.percent)
        case Role.DOWN:
            heard.below.add(figure.percent)
        case Role.AFTER if figure.side is not None:
            (heard.above if figure.side == "above" else heard.below).add(figure.percent)
        case Role.AFTER if not figure.is_rough:
            heard.after.add(figure.percent)
        case Role.BEFORE if figure.side is None and not figure.is_rough:
            heard.before.add(figure.percent)
        case _:  # an approximation is no figure
            pass


def _level(heard: _Heard) -> Level | None:
    if len(heard.after) > 1:
        raise NoForm(
            f"{' and '.join(map(str, sorted(heard.after)))} percent of the same after the transaction"
        )
    exact = next(iter(heard.after), None)
    if exact is None:
        return heard.bounds()
    if not heard.fits(exact):
        raise NoForm(f"{exact} percent contradicts the threshold")
    return Level(exact=exact)


def _judge_loose(loose: Iterable[Told], levels: list[Level | None]) -> None:
    """Checks unqualified figures: a headline's «5,3 procent» may repeat a known level; otherwise raises NoForm."""
    exact = {level.exact for level in levels if level is not None and level.exact is not None}
    for one in loose:
        percent, side = one.figure.percent, one.figure.side
        if one.role is Role.AFTER and side is None and percent not in exact:
            if not (one.figure.is_rough and exact):
                raise NoForm(f"{percent} percent of something unspecified")
        elif one.role in (Role.UP, Role.DOWN) or (side is not None and one.role is Role.AFTER):
            is_up = one.role is Role.UP or side == "above"
            if exact and not any(value >= percent if is_up else value <= percent for value in exact):
                raise NoForm(f"no figure fits the threshold of {percent} percent")


def _one(before: set[Decimal]) -> Level | None:
    """Level before the transaction; None if there are two."""
    return Level(exact=next(iter(before))) if len(before) == 1 else None
