"""The world of the API benchmarks as a published release, and the same rows as its peers want them.

Published by the genuine way, `MarketHistory.merge_snapshot` and `ReleaseStore.publish`, and kept below a folder so
that the next run finds it: the folder's name follows from the size and from all code that writes it. Does not
belong here: the rows (`api_world`), where things are kept (`kept`), measuring.
"""

import hashlib
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks import api_peers, api_world, kept
from warehouse import schema_render
from warehouse.history.history import MarketHistory
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.release.manifest import read_manifest
from warehouse.release.segments import DOCUMENTS, NAMES, ROWS
from warehouse.schema.market_state import DatasetState
from warehouse.schema.tables import COMPANIES, EVENTS, FINANCIALS
from warehouse.storage.layout import Layout

ROOT = Path(__file__).resolve().parents[1]
_WRITERS = ("warehouse/**/*.py", *(f"benchmarks/api_{one}.py" for one in ("words", "world", "release", "peers")))


@dataclass(frozen=True, slots=True)
class Built:
    """A world on disk. `told`: seconds and bytes of its making."""

    folder: Path
    told: Mapping[str, float]

    @property
    def data(self) -> Path:
        """The data root that the service serves."""
        return self.folder / "data"

    @property
    def documents(self) -> Path:
        """What the service answers from."""
        layout = Layout(self.data)
        return layout.release_folder(1) / read_manifest(layout, 1).segments[0].files[DOCUMENTS]


def world(companies: int) -> Built:
    """The world of this size: found, or made in a process of its own (whose memory ends with it)."""
    folder = kept.folder() / f"companies-{companies}-{_edition()}"
    if not (folder / "told.json").exists():
        for stale in folder.parent.glob(f"companies-{companies}-*"):
            shutil.rmtree(stale)
        print(f"making {companies:,} companies in {folder}, once", file=sys.stderr, flush=True)
        subprocess.run(
            [sys.executable, "-m", "benchmarks.api_release", str(folder), str(companies)], cwd=ROOT, check=True
        )
    return Built(folder, json.loads((folder / "told.json").read_text()))


def _edition() -> str:
    """Changes with everything that decides what the files hold."""
    digest = hashlib.sha256()
    for pattern in _WRITERS:
        for path in sorted(ROOT.glob(pattern)):
            digest.update(f"{path.name} {path.stat().st_size}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def make(folder: Path, companies: int) -> None:
    """Makes a world; the note of its making, written last, says that it is whole."""
    folder.mkdir(parents=True, mode=0o700)
    began = time.perf_counter()
    layout = Layout(folder / "data")
    parts = {market: taken_in(layout, market, companies) for market in api_world.sizes(companies)}
    merged = time.perf_counter()
    ReleaseStore(layout, clock=lambda: api_world.AT).publish(parts, schema_render.polars_schema(EVENTS).to_frame())
    published = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    shutil.rmtree(layout.history_folder)  # nothing reads it any more
    release = layout.release_folder(1)
    [base] = read_manifest(layout, 1).segments
    rows = api_peers.write(folder, release / base.files[ROWS])
    told = {
        "companies": rows,
        "history_s": round(merged - began, 1),
        "publish_s": round(published - merged, 1),
        "publish_peak_mb": peak,
        "peers_s": round(time.perf_counter() - published, 1),
        "serving_bytes": sum((release / base.files[kind]).stat().st_size for kind in (DOCUMENTS, NAMES)),
        "warehouse_bytes": (release / base.files[ROWS]).stat().st_size,
        **api_peers.sizes(folder),
    }
    (folder / "told.json").write_text(json.dumps(told, indent=2))


def taken_in(layout: Layout, market: str, companies: int) -> MarketPart:
    """Brings one market's rows into its history, as an ingest does."""
    count = api_world.sizes(companies)[market]
    with MarketHistory(layout, market) as history:
        for profiles, accounts in api_world.chunks(market, count, companies):
            with history.transaction():
                touched = profiles["company_id"]
                history.merge_snapshot(COMPANIES, profiles, touched, api_world.AT)
                history.merge_snapshot(FINANCIALS, accounts, touched, api_world.AT)
    state = DatasetState(api_world.AT, ("invented",), count)
    return MarketPart(market, layout.history_file(market), "fresh", api_world.AT, {f"{market.lower()}.accounts": state})


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
