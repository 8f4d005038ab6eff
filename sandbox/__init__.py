"""A generated world that plays the registries.

It is the default of `make run`, the load of the benchmarks and the oracle of the tests.

    world = World(seed=1, companies=400, days=3)
    write(world, Path("days"))            # files as the registries hand them out, and the ground truth
    with serve(world) as registry:        # the same over HTTP, one day at a time
        registry.url; registry.advance()

Companies with life stories (`companies`) are written in each registry's own formats (`sandbox.<cc>`),
odd corners included, and served over HTTP (`http.server`), on demand with faults (`faults.files`). `expected`
states what the service must make of it. Nothing here reads with, or is read by, a country's connector. A further
market is a birth, a list of stories and a writer.
"""

from collections.abc import Mapping
from typing import Final

from sandbox.dk import http as dk_http
from sandbox.faults.files import FILE_FAULTS, damage_file
from sandbox.faults.requests import FAULTS, parse_faults
from sandbox.http.server import SandboxServer, serve, serve_forever
from sandbox.se import http
from sandbox.uk import rest_http, stream_http
from sandbox.world import FIRST_DAY, MARKETS, PREVIEWS, World, minimum_companies, sufficient_companies
from sandbox.write import write_day, write_days

# Host -> name and password of callers: what the sandbox takes.
CREDENTIALS: Final[Mapping[str, tuple[str, str]]] = {
    **http.CREDENTIALS,
    **dk_http.CREDENTIALS,
    rest_http.HOST: (rest_http.KEY, ""),
    stream_http.HOST: (stream_http.KEY, ""),
}
__all__ = [
    "CREDENTIALS",
    "FAULTS",
    "FILE_FAULTS",
    "FIRST_DAY",
    "MARKETS",
    "PREVIEWS",
    "SandboxServer",
    "World",
    "damage_file",
    "minimum_companies",
    "parse_faults",
    "serve",
    "serve_forever",
    "sufficient_companies",
    "write_day",
    "write_days",
]
