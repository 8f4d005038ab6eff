"""Where everything lies below FIRM_DATA: the one place that spells these names.

Does not belong here: settings (who decides the root) or the content of any file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DIGITS = 10  # release numbers in names: sorting names is sorting numbers


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders below one data root. Nothing is made until somebody writes."""

    root: Path

    @property
    def archive(self) -> Path:
        return self.root / "archive"

    @property
    def inbox(self) -> Path:
        """Bodies that came between two runs: no run has taken them into the archive yet."""
        return self.root / "inbox"

    @property
    def staged(self) -> Path:
        return self.root / "staged"

    @property
    def images(self) -> Path:
        return self.root / "images"

    @property
    def history(self) -> Path:
        return self.root / "history"

    @property
    def ledger(self) -> Path:
        return self.root / "ledger"

    @property
    def releases(self) -> Path:
        return self.root / "releases"

    @property
    def exports(self) -> Path:
        return self.root / "exports"

    @property
    def locks(self) -> Path:
        return self.root / "locks"

    @property
    def remote(self) -> Path:
        """What this machine knows of the object store, and what is on its way from there."""
        return self.root / "remote"

    @property
    def erased(self) -> Path:
        """Who has been erased and must not come back."""
        return self.root / "erased.json"

    @property
    def judgements(self) -> Path:
        """What persons have judged of holders."""
        return self.root / "judgements.jsonl"

    @property
    def current(self) -> Path:
        """The pointer to the release that is served."""
        return self.releases / "current.json"

    @property
    def checked(self) -> Path:
        """When each market was last looked at, whether or not anything had changed."""
        return self.releases / "checked.json"

    def rebuilt(self, market: str) -> Path:
        """Where a market's history is made anew, beside the one that counts; a data root of its own."""
        return self.root / "rebuilt" / market

    @property
    def run_notes(self) -> Path:
        """What runs tell of themselves, a file each."""
        return self.releases / "runs"

    def history_file(self, market: str) -> Path:
        return self.history / f"{market}.duckdb"

    def release(self, number: int) -> Path:
        return self.releases / numbered(number)

    def lock(self, name: str) -> Path:
        return self.locks / f"{name}.lock"


def numbered(number: int) -> str:
    """A release number as it stands in names."""
    return f"{number:0{DIGITS}d}"
