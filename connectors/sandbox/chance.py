"""Seeded chance: the same parts give the same dice, on every machine and in every order of asking."""

from __future__ import annotations

from random import Random


def dice(*parts: object) -> Random:
    """Dice of their own for each thing that is made, so that nothing depends on what was made before."""
    return Random("/".join(map(str, parts)))  # noqa: S311 - a world to be made again, not a secret


def happens(rng: Random, share: float) -> bool:
    """True in `share` of the cases."""
    return rng.random() < share
