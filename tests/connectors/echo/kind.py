"""A kind of file: where genuine ones lie, what they are made of, and where the sandbox writes its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.connectors.echo.played import Played, members
from tests.connectors.echo.shapes import Shape

Choice = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """`genuine`: globs below the sources. `only`: of both sides, bodies of this kind where a folder mixes several."""

    name: str
    genuine: tuple[str, ...]
    shape: Shape
    played: Callable[[Played], Iterable[bytes]]
    only: Choice = bool

    def paths(self, sources: Path) -> list[Path]:
        return sorted({path for pattern in self.genuine for path in sources.glob(pattern) if path.is_file()})

    def theirs(self, sources: Path) -> set[str]:
        """Paths of all genuine files together."""
        bodies = (body for path in self.paths(sources) for body in members(path.read_bytes()))
        return set(self._shapes(bodies))

    def ours(self, played: Played) -> set[str]:
        """Paths of all files of the sandbox together."""
        return set(self._shapes(self.played(played)))

    def _shapes(self, bodies: Iterable[bytes]) -> Iterator[str]:
        for body in bodies:
            if self.only(body):
                yield from self.shape(body)


def holding(text: bytes) -> Choice:
    return lambda body: text in body


def lacking(text: bytes) -> Choice:
    return lambda body: text not in body
