"""Publishes one day of changes over generated histories, and prints what that took as JSON.

A process of its own (`python -m benchmarks.publish_day data companies changed day [full]`), so that its memory is
its own; the changes are merged into the histories by another before, as they are in steps of their own in an ingest.
Day 0 makes the histories and publishes all. Does not belong here: the rows (`api_world`), comparing (`bench_publish`).
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from benchmarks import api_world
from benchmarks.api_release import taken_in
from warehouse import schema_render
from warehouse.history.history import MarketHistory
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.reader.queries import profiles
from warehouse.reader.reader import CompanyQuery, ReleaseReader, StateQuery
from warehouse.release import manifest as release_manifest
from warehouse.schema.tables import COMPANIES, EVENTS
from warehouse.serving import codec_read
from warehouse.storage.layout import Layout

_LOOKED_UP: Final = 2_000
_SEARCHES: Final = 9
_FULL_GIVEN: Final = 5  # arguments with the program's name, without `full`


def main() -> None:
    """`data companies changed day [full]`."""
    layout, companies, changed, day = Layout(Path(sys.argv[1])), *map(int, sys.argv[2:5])
    at = api_world.AT + timedelta(days=day)
    ids: list[str] = []
    if day:
        with ProcessPoolExecutor(1, get_context("spawn")) as merging:
            ids = merging.submit(_change_markets, layout, companies, changed, day).result()
        parts = {
            market: MarketPart(market, layout.history_file(market), "fresh", at)
            for market in api_world.sizes(companies)
        }
    else:
        parts = {market: taken_in(layout, market, companies) for market in api_world.sizes(companies)}
    steps: dict[str, float] = {}
    store = ReleaseStore(layout, clock=lambda: at, on_step=lambda step: steps.update({step: time.perf_counter()}))
    began, worked, wrote = time.perf_counter(), time.process_time(), _written_bytes()
    made = store.publish(parts, schema_render.polars_schema(EVENTS).to_frame(), full=len(sys.argv) > _FULL_GIVEN)
    if made is None:
        raise RuntimeError("nothing has changed")
    found = {
        "kind": made.kind,
        "changed": len(ids),
        "seconds": round(time.perf_counter() - began, 2),
        "processor_s": round(time.process_time() - worked, 2),
        "written_mb": round((_written_bytes() - wrote) / 1e6, 1),
        "fetched_mb": round(_new_bytes(layout, made.release) / 1e6, 1),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "merge_peak_mib": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
        "segments": len(made.segments),
        "past_s": round(steps["past written"] - steps["serving written"], 2),
        "past_mb": round(sum(made.sizes[file.file] for file in made.past) / 1e6, 2),
        "past_files": len(made.past),
    }
    found |= _look_up(layout, made.release, ids) | {"list_ms": _list_milliseconds(layout)}
    print(json.dumps(found | _past_milliseconds(layout, ids)))


def _change_markets(layout: Layout, companies: int, changed: int, day: int) -> list[str]:
    """Merges a day's changes into every market's history; returns the ids of the companies."""
    sizes = api_world.sizes(companies).items()
    return [one for market, count in sizes for one in _change(layout, market, count, companies, changed, day)]


def _change(layout: Layout, market: str, count: int, companies: int, changed: int, day: int) -> list[str]:
    """Gives some companies, spread over the market, another number of employees; returns their ids."""
    step = max(1, companies // changed)
    ids: list[str] = []
    with MarketHistory(layout, market) as history, history.transaction():
        for found, _ in api_world.chunks(market, count, companies):
            rows = found.gather_every(step, day % step)
            rows = rows.with_columns(employees=rows["employees"].fill_null(0) + day)
            history.merge_snapshot(COMPANIES, rows, rows["company_id"], api_world.AT + timedelta(days=day))
            ids += rows["company_id"].to_list()
    return ids


def _written_bytes() -> int:
    """Bytes that this process has sent to the disk, as the kernel counts them."""
    os.sync()
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(lines["write_bytes"])


def _new_bytes(layout: Layout, number: int) -> int:
    """Bytes of the files that no other release has: what a replica fetches."""
    files = (path.stat() for path in layout.release_folder(number).iterdir())
    return sum(status.st_size for status in files if status.st_nlink == 1)


def _look_up(layout: Layout, number: int, ids: list[str]) -> dict[str, float]:
    """Microseconds of a look-up by id: of changed companies, and of as many that did not change."""
    segments = release_manifest.read_manifest(layout, number).segments
    with closing(codec_read.open_documents(layout.release_folder(number), segments)) as connection:
        every = [row[0] for row in connection.execute("SELECT company_id FROM companies LIMIT ?", (_LOOKED_UP,))]
        found = {}
        for name, asked in (("changed_us", ids[:_LOOKED_UP]), ("unchanged_us", every)):
            for _ in range(2):  # first read into the page cache
                began = time.perf_counter()
                for company_id in asked:
                    profiles.company_profile(connection, company_id)
                took = time.perf_counter() - began
            found[name] = round(took / max(1, len(asked)) * 1e6, 1)
    return found


def _past_milliseconds(layout: Layout, ids: list[str]) -> dict[str, float]:
    """Milliseconds of a profile as of the first release, of companies that changed since: the middle, and 99 in 100."""
    took: list[float] = []
    with closing(ReleaseReader(layout)) as reader, reader.pin_release() as release:
        for company_id in ids[:_LOOKED_UP]:
            began = time.perf_counter()
            state = release.company_state(company_id, StateQuery(api_world.AT, api_world.AT.date()))
            if state is None:
                raise RuntimeError(f"{company_id} is not known")
            state.profile()
            state.profile_parts()
            took.append((time.perf_counter() - began) * 1e3)
    if not took:
        return {}
    return {
        "past_p50_ms": round(statistics.median(took), 3),
        "past_p99_ms": round(sorted(took)[len(took) * 99 // 100], 3),
    }


def _list_milliseconds(layout: Layout) -> float:
    """Milliseconds of a filtered list in the order of names, and of a search by name; the slower of both."""
    reader, queries = (
        ReleaseReader(layout, seconds=60),
        (CompanyQuery(statuses=("active",), sort="name"), CompanyQuery(q="nord")),
    )
    found = []
    with closing(reader), reader.pin_release() as release:
        for query in queries:
            release.search_companies(query, None, 20)  # opens the files
            took = []
            for _ in range(_SEARCHES):
                began = time.perf_counter()
                release.search_companies(query, None, 20)
                took.append(time.perf_counter() - began)
            found.append(statistics.median(took))
    return round(max(found) * 1e3, 1)


if __name__ == "__main__":
    main()
