"""Danish kinds of files, of a world of its own: Denmark is a preview, which worlds have only if they are asked for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from sandbox import World, minimum_companies
from sandbox.dk import http
from tests.connectors.echo import shapes
from tests.connectors.echo.kind import Kind
from tests.connectors.echo.played import Played

DAYS: Final = 4
_PAGE: Final = json.dumps({"size": 3_000}).encode()


@cache
def _danish(folder: Path) -> Played:
    world = World(seed=5, companies=minimum_companies("DK", DAYS), days=DAYS, markets=("DK",))
    return Played(world, folder / "denmark")


def _searched(index: str) -> Callable[[Played], Iterator[bytes]]:
    def answers(played: Played) -> Iterator[bytes]:
        return _danish(played.folder).posted(f"/cvr-permanent/{index}/_search", _PAGE, http.AUTHORIZATION)

    return answers


DANISH: Final = (
    Kind("dk virksomhed", ("dk/cvr_virksomhed/*.json",), shapes.of_json, _searched("virksomhed")),
    Kind("dk deltager", ("dk/cvr_deltager/*.json",), shapes.of_json, _searched("deltager")),
)
