"""Seeded randomness: the same parts give the same generator, on every machine and in any order of calls."""

from __future__ import annotations

from random import Random


def seeded_random(*parts: object) -> Random:
    """A separate generator for each object, so that nothing depends on what was generated before."""
    return Random("/".join(map(str, parts)))  # noqa: S311 - a world to be made again, not a secret


def random_bool(rng: Random, share: float) -> bool:
    """True in `share` of the cases."""
    return rng.random() < share
