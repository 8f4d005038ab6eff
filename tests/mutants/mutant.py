"""A mutant: one line of the product broken on purpose, and the test that must notice.

Belongs here: the shape of the declaration, and finding its line. Does not belong here: the breaks themselves
(`of_*`), or running them (`__main__`).
"""

from dataclasses import dataclass
from pathlib import Path


class StaleError(ValueError):
    """A declaration that no longer fits the code: its line is not there once, or it changes nothing."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One break.

    `name`: what would go wrong in the world. `line`: the whole line as it stands in `file`, without the blanks
    around it, where it must occur exactly once; `broken`: what takes its place. `test`: the node that must turn red.
    """

    name: str
    file: str
    line: str
    broken: str
    test: str

    def applied(self, text: str) -> str:
        """The file with the line broken; StaleError where the line is not there exactly once."""
        lines = text.splitlines(keepends=True)
        places = [place for place, line in enumerate(lines) if line.strip() == self.line]
        if len(places) != 1:
            raise StaleError(f"{self.name}: {len(places)} lines of {self.file} are {self.line!r}; declare it anew")
        if self.line == self.broken:
            raise StaleError(f"{self.name}: the broken line is the line itself")
        [place] = places
        lines[place] = lines[place].replace(self.line, self.broken)
        return "".join(lines)

    @property
    def test_file(self) -> str:
        return self.test.partition("::")[0]

    @property
    def test_function(self) -> str:
        """Name of the test without its class and the case in brackets."""
        return self.test.partition("[")[0].rpartition("::")[2]


def read(root: Path, mutant: Mutant) -> str:
    """The text of the file that a mutant breaks."""
    path = root / mutant.file
    if not path.is_file():
        raise StaleError(f"{mutant.name}: there is no {mutant.file}")
    return path.read_text(encoding="utf-8")
