"""A worker's database and Amazon for tests of destinations."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from api.webhooks.destinations.opening import destination_columns
from tests.api.fixtures.amazon import Amazon, amazon
from tests.api.fixtures.delivery_engine import SEALER, Control, controlled

KEY = {"access_key_id": "AKIAEXAMPLEEXAMPLE01", "secret_access_key": "never-to-be-seen/anywhere+0123456789ab"}
Subscribe = Callable[..., str]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def aws() -> Iterator[Amazon]:
    with amazon() as made:
        yield made


@pytest.fixture
async def control(tmp_path: Any) -> AsyncIterator[Control]:
    async with controlled(f"sqlite:///{tmp_path / 'control.sqlite'}") as made:
        yield made


@pytest.fixture
def subscribe(control: Control) -> Subscribe:
    """Subscribes a queue or bucket; its columns are those of the service."""

    def made(place: dict[str, str], key: dict[str, str] = KEY, **more: Any) -> str:
        columns = destination_columns(place | key, SEALER)
        return control.subscribe(columns.pop("endpoint_url"), **columns, **more)

    return made
