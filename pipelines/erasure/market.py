"""Erases subjects of one market: a tombstone, then step after step everything that contains their data.

Belongs here: the order of steps, and their repetition after a kill. The order is that of
`warehouse.erasure.tombstones.STEPS`: RAW by what STAGED knows, STAGED by what history knows, history, and then
everything derived from it. Called with the market's lock held. Does not belong here: the control plane
(`firm`), or who the subjects are (`create_tombstones`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.kit.redact import remove_records
from connectors.kit.redact.remove_records import SubjectPatterns
from pipelines.erasure.create_tombstones import ErasureRequest, create_tombstones, holder_trace_texts
from pipelines.erasure.raw import SHORTEST, BodyRewriter
from pipelines.erasure.register_removals import companies_removed_by_register
from pipelines.runtime.counted_words import counted
from pipelines.steps.batch_figures import dependent_archives
from pipelines.steps.suppression import REFUSED, SuppressionMatcher
from pipelines.workspace import Workspace, staged_tables
from warehouse.decisions import DecisionLog, DecisionRecord
from warehouse.erasure import files, history, tombstones
from warehouse.erasure.event_redaction import RULES, EventRedactor
from warehouse.erasure.free_texts import TextRedactor
from warehouse.erasure.history import ErasurePlan
from warehouse.erasure.tombstones import Tombstone, TombstoneStore
from warehouse.raw.archive import RawBody
from warehouse.schema.codes import ERASED

BY_REGISTER: Final = "the register took it away for legal reasons"
_LONG: Final = 10  # characters of a key (an LEI, an ISIN, an id) that is unique


class UnknownSubjectError(LookupError):
    """An unknown subject; the message explains the accepted ids."""

    def __init__(self, subject: str) -> None:
        super().__init__(
            f"{subject} is unknown: give a company (firm:<COUNTRY>:<number>) or a holder (own_…, as "
            "GET …/ownership gives it)"
        )


class ReleaseInUseError(RuntimeError):
    """Releases that contain a subject are still being read by a service."""

    def __init__(self, numbers: Sequence[int]) -> None:
        listed = ", ".join(map(str, numbers))
        super().__init__(
            f"release {listed} still contains it and is in use: a service closes it at its next request "
            "or restart; then run `firm erase` again to finish"
        )


def staged_batch_figures(
    workspace: Workspace, jurisdiction: Jurisdiction, name: str
) -> Iterator[tuple[Dataset, Sequence[str]]]:
    """One figure of all staged batches: companies that were removed, or bodies with suppressed rows."""
    for dataset in jurisdiction.datasets:
        for index in workspace.staged_store.all_indexes(dataset.key):
            # rows in quarantine are not applied yet, but their bodies are stored like any others
            if name in index.figures and (index.held is None or name == REFUSED):
                yield dataset, index.figures[name]


class MarketErasure:
    """The unfinished erasures of one market."""

    def __init__(self, workspace: Workspace, jurisdiction: Jurisdiction) -> None:
        self._workspace = workspace
        self._jurisdiction = jurisdiction
        self._market = jurisdiction.code
        self._layout = workspace.layout
        self._tombstones = TombstoneStore(self._layout)

    def erase_before_release(self, at: datetime) -> bool:
        """Runs every step before publication, for subjects erased by an operator or by the register.

        Returns True if the next release must be built in full, without the erased subjects.
        """
        companies = companies_removed_by_register(self._workspace, self._jurisdiction)
        if companies:
            create_tombstones(
                self._workspace, ErasureRequest(self._market, BY_REGISTER, at, companies, is_by_register=True)
            )
        if outdated := self._tombstones.restart_outdated(RULES, self._market):
            subjects = counted(len(outdated), "erased subject is", "erased subjects are")
            self._workspace.report_progress(f"{self._market}: {subjects} erased again by the rules of this version")
        self.rewrite_returned_bodies()
        for name, do in self._steps_before_release().items():
            self._run_step(name, do)
        return any(stone.clean is None for stone in self._unreleased_tombstones())

    def _unreleased_tombstones(self) -> list[Tombstone]:
        stones = self._tombstones.unfinished_tombstones(self._market)
        return [stone for stone in stones if tombstones.RELEASE not in stone.done]

    def _steps_before_release(self) -> dict[str, Callable[[Sequence[Tombstone]], object]]:
        images, market = self._workspace.snapshot_store, self._market
        return {
            tombstones.RAW: self._raw,
            tombstones.STAGED: self._erase_staged,
            tombstones.IMAGES: lambda stones: files.erase_snapshot_rows(images, market, EventRedactor.of(stones)),
            tombstones.RUNS: self._redact_runs,
            tombstones.HISTORY: self._erase_history,
            tombstones.LEDGER: self._redact_ledger,
        }

    def erase_after_release(self) -> None:
        """Once a release without the subjects is served, deletes everything older. Raises ReleaseInUseError."""
        served = self._workspace.release_store.current_manifest()
        if served is not None:
            self._tombstones.record_clean_release(
                [stone.subject for stone in self._unreleased_tombstones()], served.release
            )
        self._run_step(tombstones.RELEASE, self._prune_older_releases)
        self._run_step(tombstones.EXPORTS, lambda _: self._replace_exports())

    def rewrite_returned_bodies(self) -> None:
        """Rewrites bodies that contain erased subjects again."""
        stones = self._tombstones.list_tombstones(self._market)
        if not stones:
            return
        self._workspace.raw_archive.delete_erased_bodies()  # a kill may have come before that
        found: list[tuple[Dataset, set[str]]] = []
        for dataset, bodies in staged_batch_figures(self._workspace, self._jurisdiction, REFUSED):
            wanted = set(bodies).difference(self._workspace.raw_archive.erased_hashes(dataset.key))
            found += [(dataset, wanted)] if wanted else []
        if found:
            refused = self._refused(stones)
            ways = self._record_patterns(refused)
            for dataset, wanted in found:
                self._erase_bodies(dataset, refused, ways, wanted)

    def _run_step(self, name: str, do: Callable[[Sequence[Tombstone]], object]) -> bool:
        stones = [stone for stone in self._tombstones.unfinished_tombstones(self._market) if name not in stone.done]
        if stones:
            do(stones)
            self._tombstones.record_step([stone.subject for stone in stones], name)
            self._workspace.on_step(f"erased {name}")
        return bool(stones)

    # RAW and STAGED

    def _refused(self, stones: Iterable[Tombstone]) -> SuppressionMatcher:
        plain = SuppressionMatcher(self._jurisdiction, tuple(stones))
        if not plain.tombstones:
            return plain
        keys = {name: table.key for name, table in staged_tables(self._jurisdiction).items()}
        present = history.current_records_by_table(self._layout, self._market, plain.companies)
        theirs = {
            name: present[name].select(*key, "_company_id")
            for name, key in keys.items()
            if name in present and set(key) <= set(present[name].columns)
        }
        linked = {name: keys[name] for name in plain.nameless}
        return replace(plain, keys=theirs | history.linked_keys(self._layout, self._market, linked))

    def _record_patterns(self, refused: SuppressionMatcher) -> list[SubjectPatterns]:
        """Byte patterns that identify subjects' records: by number, by company and holder, or by holder alone.

        The last pattern uses the keys of rows that belong to a company by a link.
        """
        stones = refused.tombstones
        own = [
            remove_records.number_pattern(stone.company_id.rpartition(":")[2]) for stone in stones if stone.is_company
        ]
        held = [stone for stone in stones if not stone.is_company]
        whose = [remove_records.number_pattern(stone.company_id.rpartition(":")[2]) for stone in held]
        told = history.find_holders(self._layout, self._market, [stone.subject for stone in held], ())
        who = [
            remove_records.words_pattern(text)
            for one in told
            for text in sorted(holder_trace_texts(one))
            if len(text) >= SHORTEST
        ]
        ways = [SubjectPatterns((remove_records.compile_patterns(own),))] if own else []
        if who:
            ways += [
                SubjectPatterns((remove_records.compile_patterns(whose), remove_records.compile_patterns(who))),
                SubjectPatterns((remove_records.compile_patterns(who),)),
            ]
        linked = [remove_records.words_pattern(text) for text in sorted(refused.linked_texts()) if len(text) >= _LONG]
        if own and (who or linked):
            ways.append(SubjectPatterns((remove_records.compile_patterns([*own, *who, *linked]),)))
        return ways

    def _raw(self, stones: Sequence[Tombstone]) -> None:
        self._workspace.raw_archive.delete_erased_bodies()
        refused = self._refused(stones)
        ways = self._record_patterns(refused)
        for dataset in self._jurisdiction.datasets:
            self._erase_bodies(dataset, refused, ways, self._bodies(dataset, refused))

    def _erase_bodies(
        self, dataset: Dataset, refused: SuppressionMatcher, ways: Sequence[SubjectPatterns], bodies: Collection[str]
    ) -> None:
        reasons = ", ".join(sorted({stone.reason for stone in refused.tombstones}))
        rewriting = BodyRewriter(self._workspace, dataset, refused, ways, reasons)
        for piece in self._raw_bodies(dataset, bodies):
            if rewriting.rewrite_body(piece):
                self._workspace.on_step("body erased")

    def _raw_bodies(self, dataset: Dataset, bodies: Collection[str]) -> list[RawBody]:
        found = (piece for piece in self._workspace.raw_archive.all_bodies(dataset.key) if piece.sha256 in bodies)
        return list({piece.sha256: piece for piece in found}.values())

    def _bodies(self, dataset: Dataset, refused: SuppressionMatcher) -> set[str]:
        """Bodies that subjects' staged rows were read from, those that repeat these, and those not parsed yet."""
        lake = self._workspace.staged_store
        read = {
            piece["sha256"]
            for index in lake.all_indexes(dataset.key)
            for piece in index.pieces
            if piece["rejected"] is None
        }
        found = {piece.sha256 for piece in self._workspace.raw_archive.all_bodies(dataset.key)} - read
        for batch in lake.all_batches(dataset.key):
            for table in dataset.staged_tables.values():
                rows = lake.read_rows(dataset.key, batch, table).collect()
                raw = rows.filter(refused.mask(table, rows))["_raw"]
                found |= set(raw.str.split("#").list.first())
            rejects = lake.rejects(dataset.key, batch)
            found |= {
                raw.partition("#")[0]
                for raw, record, excerpt in rejects.select("raw", "record", "excerpt").iter_rows()
                if refused.mentions_subject(f"{record} {excerpt}")
            }
        return found | dependent_archives(lake.all_indexes(dataset.key), found)

    def _erase_staged(self, stones: Sequence[Tombstone]) -> None:
        refused = self._refused(stones)
        mentions_subject = self._mentions_subject(refused)
        for dataset in self._jurisdiction.datasets:
            for batch in self._workspace.staged_store.all_batches(dataset.key):
                folder = self._layout.staged_folder / dataset.key / batch
                for table in dataset.staged_tables.values():
                    files.erase_parquet_rows(folder / f"{table.name}.parquet", partial(refused.mask, table))
                files.erase_rejects_and_signals(folder, mentions_subject)
                files.redact_batch_texts(folder, refused.free_texts)
            self._workspace.raw_archive.redact_lines(dataset.key, refused.free_texts.redact_json)
        self._workspace.raw_archive.clear_index(self._market)

    def _mentions_subject(self, refused: SuppressionMatcher) -> files.MentionsSubject:
        """Detects subjects in rejects and signals: by company number, and by what history knows of their names."""
        held = [stone.subject for stone in refused.tombstones if not stone.is_company]
        texts = {name for _, name in history.company_names(self._layout, self._market, refused.companies)}
        texts |= {text for one in history.find_holders(self._layout, self._market, held, ()) for text in one.texts}
        distinctive = [text for text in sorted(texts) if len(text) >= _LONG or len(text.split()) > 1]
        if not distinctive:
            return refused.mentions_subject
        pattern = remove_records.compile_patterns(map(remove_records.words_pattern, distinctive))
        return lambda text: refused.mentions_subject(text) or pattern.search(text.encode()) is not None

    # What runs and operators have noted

    def _redact_runs(self, stones: Sequence[Tombstone]) -> None:
        redactor, texts = EventRedactor.of(stones), TextRedactor(tuple(stones))
        files.redact_collected_events(self._layout.root / "runs", self._market, redactor)
        names = {self._market, *(dataset.key for dataset in self._jurisdiction.datasets)}
        files.redact_reports(self._layout, names, texts)

        def reason(row: DecisionRecord) -> str:
            """Whoever gave the reason of a decision about a subject may have named it."""
            is_theirs = not redactor.subjects.isdisjoint((row.company_id, row.one, row.other))
            return ERASED if is_theirs or texts.mentions(row.reason) else row.reason

        DecisionLog(self._layout).redact_reasons(reason)

    # History and everything derived from it

    def _erase_history(self, stones: Sequence[Tombstone]) -> None:
        refused = SuppressionMatcher(self._jurisdiction, tuple(stones))
        declared = staged_tables(self._jurisdiction)

        def mask(name: str, rows: pl.DataFrame) -> pl.Series:
            own = rows["_company_id"].is_in(list(refused.companies)).fill_null(value=False)
            if name not in declared:
                return own
            # rows by link or by their own company go, except the register's notice that the company was
            # removed
            kept = self._jurisdiction.removal_masks.get(name)
            return refused.mask(declared[name], rows) | (own if kept is None else own & ~kept(rows))

        removed_ = [stone.subject for stone in stones if stone.by_register]
        going = ErasurePlan(EventRedactor.of(stones), refused.concerned, removed_, mask, refused.nameless)
        history.erase_subjects(self._layout, self._market, going)

    def _redact_ledger(self, stones: Sequence[Tombstone]) -> None:
        with self._workspace.release_store.hold_release_lock():  # keeps others from numbering events meanwhile
            files.redact_ledger(self._layout, EventRedactor.of(stones))

    def _prune_older_releases(self, stones: Sequence[Tombstone]) -> None:
        """Removes only releases older than the first one without the subjects: later ones may be in use."""
        clean = max((stone.clean for stone in stones if stone.clean is not None), default=None)
        if clean is None:
            return  # nothing was ever published
        releases = self._workspace.release_store
        releases.prune_releases(sum(manifest.release >= clean for manifest in releases.list_releases()))
        left = [manifest.release for manifest in releases.list_releases() if manifest.release < clean]
        if left:
            raise ReleaseInUseError(left)

    def _replace_exports(self) -> None:
        files.replace_exports(self._workspace.export_store, self._layout.exports_folder, self._market)
        self._workspace.upload_export(self._market, is_erased=True)
