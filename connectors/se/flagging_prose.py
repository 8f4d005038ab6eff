"""What the sentences of a notice say: one position, in figures or bounds, and the one before it.

Nothing is guessed: two figures of one thing, a figure on the wrong side of a threshold, a percentage of
nobody knows what give no position and a reason. Does not belong here: roles of single figures
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
    """Of shares or of votes: figures and bounds."""

    after: set[Decimal] = field(default_factory=set)
    before: set[Decimal] = field(default_factory=set)
    above: set[Decimal] = field(default_factory=set)
    below: set[Decimal] = field(default_factory=set)

    def bounds(self) -> Level | None:
        """The tightest bounds; None where there is none. Raises NoForm where nothing lies between them."""
        above, below = max(self.above, default=None), min(self.below, default=None)
        if above is not None and below is not None and above >= below:
            raise NoForm("above one threshold and below another")
        return None if above is None and below is None else Level(above=above, below=below)

    def fits(self, exact: Decimal) -> bool:
        return all(exact >= limit for limit in self.above) and all(exact <= limit for limit in self.below)


def position(sentences: list[str]) -> tuple[Column, Column | None]:
    """Shares and votes after the transaction, and before it where that is told. Raises NoForm with the reason."""
    told = [one for one in roles(sentences) if one.role in _ROLES]
    heard = {kind: _Heard(after={Decimal(0)} if has_left(sentences) else set()) for kind in _KINDS}
    loose = [one for one in told if not _take(heard, one)]
    levels = [_level(heard[kind]) for kind in _KINDS]
    _judge_loose(loose, levels)
    if not any(levels):
        raise NoForm("no percentage of what is held after the transaction")
    before = [_one(heard[kind].before) for kind in _KINDS]
    return Column(*levels), Column(*before) if any(before) else None


def _take(heard: dict[str, _Heard], one: Told) -> bool:
    """Puts a figure with its kind; false where the text does not say what it is a share of."""
    figure = one.figure
    if one.role is Role.AFTER:
        if figure.is_twofold:
            raise NoForm("two percentages, and not which is of shares and which of votes")
        if one.has_instruments:
            raise NoForm("shares and financial instruments are told together")
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
        case _:  # about so much: no figure
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
        raise NoForm(f"{exact} percent does not lie where the threshold says")
    return Level(exact=exact)


def _judge_loose(loose: Iterable[Told], levels: list[Level | None]) -> None:
    """A headline's «5,3 procent» repeats what the text says of shares or votes; all else is a second reading."""
    exact = {level.exact for level in levels if level is not None and level.exact is not None}
    for one in loose:
        percent, side = one.figure.percent, one.figure.side
        if one.role is Role.AFTER and side is None and percent not in exact:
            if not (one.figure.is_rough and exact):
                raise NoForm(f"{percent} percent of what is not said")
        elif one.role in (Role.UP, Role.DOWN) or (side is not None and one.role is Role.AFTER):
            is_up = one.role is Role.UP or side == "above"
            if exact and not any(value >= percent if is_up else value <= percent for value in exact):
                raise NoForm(f"no figure lies where the threshold of {percent} percent says")


def _one(before: set[Decimal]) -> Level | None:
    """The figure before; two of them are none."""
    return Level(exact=next(iter(before))) if len(before) == 1 else None
