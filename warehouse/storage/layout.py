"""Layout of the data root (FIRM_DATA): the only module that spells these file names.

Does not belong here: settings (which path is the root) or the content of any file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DIGITS = 10  # release numbers in names are padded, so that name order is number order


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths below one data root. Nothing is created until something is written."""

    root: Path

    @property
    def raw_folder(self) -> Path:
        return self.root / "archive"

    @property
    def spool_folder(self) -> Path:
        """Bodies received between two runs and not archived yet."""
        return self.root / "inbox"

    @property
    def staged_folder(self) -> Path:
        return self.root / "staged"

    @property
    def snapshots_folder(self) -> Path:
        return self.root / "images"

    @property
    def history_folder(self) -> Path:
        return self.root / "history"

    @property
    def ledger_folder(self) -> Path:
        return self.root / "ledger"

    @property
    def releases_folder(self) -> Path:
        return self.root / "releases"

    @property
    def exports_folder(self) -> Path:
        return self.root / "exports"

    @property
    def indexes_folder(self) -> Path:
        """Derived indexes: may be deleted at any time, and belong in no backup."""
        return self.root / "indexes"

    @property
    def locks_folder(self) -> Path:
        return self.root / "locks"

    @property
    def replication_folder(self) -> Path:
        """State of the object store known to this machine, and downloads in progress."""
        return self.root / "remote"

    @property
    def tombstones_file(self) -> Path:
        """The suppression list: erased subjects that must not come back."""
        return self.root / "erased.json"

    @property
    def mark_key_file(self) -> Path:
        """The key of person marks, readable by its owner alone."""
        return self.root / "marks.json"

    @property
    def decision_log_file(self) -> Path:
        """The log of manual decisions about holders."""
        return self.root / "judgements.jsonl"

    @property
    def release_pointer_file(self) -> Path:
        """The pointer to the current release."""
        return self.releases_folder / "current.json"

    @property
    def freshness_file(self) -> Path:
        """When each market was last checked, whether or not anything had changed."""
        return self.releases_folder / "checked.json"

    @property
    def retraction_log_file(self) -> Path:
        """Which batches were retracted, for operators."""
        return self.releases_folder / "retracted.json"

    @property
    def load_progress_folder(self) -> Path:
        """How far loads are that take many runs, one file per dataset."""
        return self.releases_folder / "loads"

    def rebuild_root(self, market: str) -> Path:
        """Where a market's history is rebuilt, separate from the one in use; a data root of its own."""
        return self.root / "rebuilt" / market

    @property
    def run_log_folder(self) -> Path:
        """Run reports, one file each."""
        return self.releases_folder / "runs"

    def history_file(self, market: str) -> Path:
        return self.history_folder / f"{market}.duckdb"

    def market_index_file(self, market: str) -> Path:
        """The index of a market's manifests and staged batches."""
        return self.indexes_folder / f"{market.lower()}.sqlite"

    def market_state_index_file(self, market: str) -> Path:
        """The index of a market's files as the object store has them."""
        return self.indexes_folder / f"{market.lower()}-state.sqlite"

    @property
    def event_index_file(self) -> Path:
        """The index of the ledger's event ids."""
        return self.indexes_folder / "events.sqlite"

    def release_folder(self, number: int) -> Path:
        return self.releases_folder / padded_number(number)

    def lock_file(self, name: str) -> Path:
        return self.locks_folder / f"{name}.lock"


def padded_number(number: int) -> str:
    """A release number as padded in file names."""
    return f"{number:0{DIGITS}d}"
