"""Replication of a market's state, so that any machine can continue where the last one ended.

    markets/NO/head.json          {"version", "contents", "token", "swept", "listed"}: replaced by compare-and-swap
    markets/NO/contents.<sha256>  a short list of parts (`market_contents`)
    markets/NO/<sha256>           a part; or a file: a body of RAW, a stretch of a manifest, STAGED, history

Local files count as long as the head is the version last fetched or sent here; otherwise the head counts, and
the local files are made equal to it (`market_fetch`). A send appends to the log that the parts are, and deletes objects
that the new head does not need, so that data erased here is erased there; what an interrupted send has left is found by
a listing. Whoever takes the market's lease writes the lease's token into the head first: from then on nothing that an
earlier holder sends can become the head. Does not belong here: who may write (`lease`), or the content of files.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from warehouse.market_index.manifests import ManifestPosition
from warehouse.replication import blobs
from warehouse.replication.errors import LostRaceError, MissingObjectError
from warehouse.replication.market_contents import ADVICE, FileChange, MarketContents, StatePart, cut_stretches
from warehouse.replication.market_fetch import MarketFetch
from warehouse.replication.market_files import MarketFiles
from warehouse.replication.s3 import ObjectStore, StoredDocument
from warehouse.replication.state_index import FileKind, StateIndex, WantedFile
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

_LISTED_EVERY: Final = 100  # versions: a send of a machine that had lost its lease may have left objects
PAST_CHANGES: Final = 65_536  # changes of the past beyond as many as there are files, before the log begins again

_OF_FILE: Final = re.compile(r"markets/[^/]+/([0-9a-f]{64})")


def _market_area(market: str) -> str:
    return f"markets/{market}"


def head_token(store: ObjectStore, market: str) -> int:
    """The greatest token with which the market was ever held; 0 before the first."""
    found = store.read(f"{_market_area(market)}/head.json")
    return 0 if found is None else int(json.loads(found.content).get("token", 0))


class ReplicatedMarket:
    """One market of one data root and one store. All methods require the market's lock and its lease.

    token: of the lease (`lease.distributed_lease`).
    """

    def __init__(
        self,
        layout: Layout,
        store: ObjectStore,
        market: str,
        datasets: Iterable[str],
        token: int,
        on_step: atomic_files.Step = atomic_files.ignore_step,
    ) -> None:
        self._token = token
        self._layout = layout
        self._store = store
        self._market = market
        self._on_step = on_step
        self._area = _market_area(market)
        self._adopted = layout.replication_folder / f"adopted-{market}.json"
        self._outgoing = layout.replication_folder / f"outgoing-{market}"
        self._files = MarketFiles(layout, market, tuple(datasets))
        self._index = StateIndex(layout.market_state_index_file(market), self._files.kind_of)
        self._fetch = MarketFetch(layout, store, market, self._files, self._index, on_step)
        self._seen: StoredDocument | None = None

    def fetch(self) -> Mapping[str, Any] | None:
        """Makes local files equal to the head if it is not ours; returns its `beside`, or None if unchanged.

        Raises LostRaceError if another machine has taken the lease since.
        """
        self._seen = self._store.read(f"{self._area}/head.json")
        head = self._head_document()
        if head["token"] != self._token:
            self._replace_head(head | {"token": self._token})
        if (key := head["contents"]) is None or key == blobs.adopted_contents(self._adopted):
            return None
        with self._told_from_lost_race():
            contents = self._read_contents(key)
            self._index.begin()
            self._fetch.make_equal(key, contents)
        self._adopt(key)
        return contents.beside

    def send(self, shared_entries: Mapping[str, Any]) -> int:
        """Uploads local changes as the new head and returns its version.

        Raises LostRaceError if the head has changed.
        """
        with self._told_from_lost_race():
            return self._send(shared_entries)

    def _send(self, shared_entries: Mapping[str, Any]) -> int:
        head = self._head_document()
        former_key = head["contents"]
        former = None if former_key is None else self._read_contents(former_key)
        self._index.begin()
        self._load_index(former_key, former)
        positions = self._files.want_changes(self._index, self._outgoing)
        version = 0 if former is None else former.version
        if former is None or self._index.has_wanted() or former.beside != shared_entries:
            version += 1
            contents = MarketContents(version, () if former is None else former.parts, shared_entries)
            self._replace_head(self._head_document() | {"swept": False})
            self._send_changes(contents, former_key, positions)
        atomic_files.delete_if_exists(self._outgoing)
        is_changed = not self._head_document()["swept"]
        if not head["swept"] or (is_changed and version % _LISTED_EVERY == 0):
            self._remove_unneeded()
        if is_changed:
            self._replace_head(self._head_document() | {"swept": True, "listed": None})
        return version

    def _send_changes(
        self, contents: MarketContents, former_key: str | None, positions: Mapping[str, ManifestPosition]
    ) -> None:
        for wanted in self._index.wanted():
            self._upload(wanted)
        self._on_step("files sent")
        stale = [f"{self._area}/{sha256}" for sha256 in self._index.superseded_addresses()]
        count = contents.changes + self._index.wanted_count()
        live = self._index.live_count(from_start=False)
        from_start = not contents.parts or count > 2 * live + PAST_CHANGES
        former_parts = contents.parts
        if from_start:
            self._index.want_everything()
            contents = replace(contents, parts=())
        self._index.place_wanted(contents.changes)
        contents = replace(contents, parts=self._send_parts(contents))
        written = contents.as_bytes()
        key = blobs.content_key(self._area, written)
        self._store.create(key, written)
        self._on_step("contents sent")
        needed = {one.sha256 for one in contents.parts}
        stale += [one.blob.key(self._area) for one in former_parts if one.sha256 not in needed]
        stale += [] if former_key is None else [former_key]
        head = {"version": contents.version, "contents": key, "token": self._token, "swept": False}
        self._replace_head(head)
        self._on_step("head replaced")
        self._index.commit(key, contents, positions, from_start=from_start)
        self._on_step("index written")
        self._adopt(key)
        self._files.forget_earlier_hashes()
        self._store.remove(stale)
        self._on_step("objects removed")

    def _upload(self, wanted: WantedFile) -> None:
        file = wanted.file
        if file is None or not wanted.is_new or self._store.has(file.key(self._area), file.size):
            return
        path = self._outgoing / file.sha256 if wanted.kind is FileKind.MANIFEST else self._files.path(file.name)
        self._store.upload(file.key(self._area), path)

    def _send_parts(self, contents: MarketContents) -> tuple[StatePart, ...]:
        """Uploads the parts that end with what is wanted, and returns all."""
        there = {(one.first, one.end): one for one in contents.parts}
        added = (FileChange(one.name, one.file) for one in self._index.wanted())
        made: list[StatePart] = []
        for first, end in cut_stretches(contents.changes + self._index.wanted_count()):
            if (part := there.get((first, end))) is None:
                inner = [one for one in contents.parts if first <= one.first < end]
                changes = [change for one in inner for change in self._fetch.read_part(one)]
                changes += islice(added, end - first - len(changes))
                part, content = StatePart.of(first, changes)
                self._store.create(part.blob.key(self._area), content)
            made.append(part)
        self._on_step("parts sent")
        return tuple(made)

    def _load_index(self, key: str | None, contents: MarketContents | None) -> None:
        """Makes the index that of the head if it is not: it was lost, or is another's."""
        known = self._index.contents()
        if (None if known is None else known[0]) == key:
            return
        self._index.clear()
        if key is not None and contents is not None:
            self._fetch.want_log(contents, 0)
            self._index.commit(key, contents, {}, from_start=True)

    def _remove_unneeded(self) -> None:
        """Removes what interrupted sends have left, by a listing.

        The head is replaced between both: if another machine holds the lease by now, nothing of its own is removed.
        """
        head = self._head_document()
        contents = self._read_contents(head["contents"])
        kept = {f"{self._area}/head.json", head["contents"], *(one.blob.key(self._area) for one in contents.parts)}
        keys = [key for key in self._store.keys(f"{self._area}/") if key not in kept]
        named = [(found[1], key) for key in keys if (found := _OF_FILE.fullmatch(key))]
        unneeded = [key for key in keys if _OF_FILE.fullmatch(key) is None]
        unneeded += self._index.unneeded_keys(named)
        if unneeded:
            self._replace_head(head | {"listed": uuid.uuid4().hex})
            self._store.remove(unneeded)
        self._on_step("unneeded objects removed")

    def _adopt(self, key: str) -> None:
        atomic_files.write_json(self._adopted, {"contents": key})
        self._on_step("head adopted")

    def _read_contents(self, key: str) -> MarketContents:
        found = self._store.read(key)
        if found is None:
            raise MissingObjectError(
                f"{self._store.address}/{key} is missing, but the head of {self._market} refers to it: {ADVICE}"
            )
        return MarketContents.parse(key, found.content)

    def _head_document(self) -> dict[str, Any]:
        """The head as it was last seen; the first one has no contents, one of an earlier version is to be swept."""
        written = {} if self._seen is None else json.loads(self._seen.content)
        return {"version": 0, "contents": None, "token": 0, "swept": False} | written

    @contextmanager
    def _told_from_lost_race(self) -> Iterator[None]:
        """Raises LostRaceError if what is missing is so because another machine has replaced the head."""
        try:
            yield
        except MissingObjectError:
            now = self._store.read(f"{self._area}/head.json")
            if now is not None and self._seen is not None and now.tag != self._seen.tag:
                raise self._lost_race() from None
            raise

    def _lost_race(self) -> LostRaceError:
        return LostRaceError(
            f"another machine has updated market {self._market} at {self._store.address}: this run's result "
            "is discarded; run this again to continue from theirs"
        )

    def _replace_head(self, head: Mapping[str, Any]) -> None:
        key, content = f"{self._area}/head.json", json.dumps(head).encode()
        if self._seen is not None and self._seen.content == content:
            return
        is_ours = self._head_document()["token"] <= self._token
        made = self._store.replace_previous(key, content, self._seen) if is_ours else None
        if made is None:
            raise self._lost_race()
        self._seen = made
