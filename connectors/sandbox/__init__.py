"""A generated world that plays the registries.

It is the default of `make run`, the load of the benchmarks and the oracle of the tests.

    world = World(seed=1, companies=400, days=3)
    write(world, Path("days"))            # files as the registries hand them out, and the ground truth
    with serve(world) as registry:        # the same over HTTP, one day at a time
        registry.url; registry.advance()

Companies with life stories (`births`, `stories*`) are written in each registry's own formats (`writers_*`),
odd corners included, and served over HTTP (`server`), on demand with faults (`faults`). `truth` states what
the service must make of it. Nothing here reads with, or is read by, a country's connector. A further market
is a birth, a list of stories and a writer.
"""

from collections.abc import Mapping
from typing import Final

from connectors.sandbox import desk_se, rest_uk, streaming_uk
from connectors.sandbox.faults import FILE_FAULTS, damage_file
from connectors.sandbox.server import Registry, serve, serve_forever
from connectors.sandbox.troubles import FAULTS, named
from connectors.sandbox.world import FIRST_DAY, MARKETS, World, enough, fewest
from connectors.sandbox.write import write, write_day

# Host -> name and password of callers: what the sandbox takes.
CREDENTIALS: Final[Mapping[str, tuple[str, str]]] = {
    **desk_se.CREDENTIALS,
    rest_uk.HOST: (rest_uk.KEY, ""),
    streaming_uk.HOST: (streaming_uk.KEY, ""),
}
__all__ = [
    "CREDENTIALS",
    "FAULTS",
    "FILE_FAULTS",
    "FIRST_DAY",
    "MARKETS",
    "Registry",
    "World",
    "damage_file",
    "enough",
    "fewest",
    "named",
    "serve",
    "serve_forever",
    "write",
    "write_day",
]
