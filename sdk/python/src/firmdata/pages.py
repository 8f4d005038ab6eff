"""Lists, page by page: read on demand, and never twice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from firmdata import frames
from firmdata.calls import ApiCall

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

R = TypeVar("R")


class Pages(Generic[R]):
    """A list: iterate over its rows, or over `pages()`. `data`: the rows of the first page."""

    def __init__(self, send: Callable[[ApiCall[Any]], Any], call: ApiCall[Any]) -> None:
        self._send = send
        self._call = call
        self._first: Any = None

    @property
    def first_page(self) -> Any:
        """The first page as the API gives it, with what it says of the company and `next_cursor`."""
        if self._first is None:
            self._first = self._send(self._call)
        return self._first

    @property
    def data(self) -> list[R]:
        """The rows of the first page."""
        return list(self.first_page.data)

    def pages(self) -> Iterator[Any]:
        """Every page."""
        page = self.first_page
        yield page
        while page.has_more:
            page = self._send(self._call.at_cursor(page.next_cursor))
            yield page

    def __iter__(self) -> Iterator[R]:
        return (row for page in self.pages() for row in page.data)

    def to_polars(self) -> pl.DataFrame:
        """All rows as a frame of polars (`pip install firmdata[polars]`)."""
        return frames.to_polars(self, self._call.row_type)

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a frame of pandas (`pip install firmdata[pandas]`)."""
        return frames.to_pandas(self, self._call.row_type)


class AsyncPages(Generic[R]):
    """A list: iterate over its rows with `async for`, or over `pages()`."""

    def __init__(self, send: Callable[[ApiCall[Any]], Awaitable[Any]], call: ApiCall[Any]) -> None:
        self._send = send
        self._call = call
        self._first: Any = None

    async def first_page(self) -> Any:
        """The first page as the API gives it, with what it says of the company and `next_cursor`."""
        if self._first is None:
            self._first = await self._send(self._call)
        return self._first

    async def pages(self) -> AsyncIterator[Any]:
        """Every page."""
        page = await self.first_page()
        yield page
        while page.has_more:
            page = await self._send(self._call.at_cursor(page.next_cursor))
            yield page

    async def __aiter__(self) -> AsyncIterator[R]:
        async for page in self.pages():
            for row in page.data:
                yield row

    async def to_list(self) -> list[R]:
        """All rows."""
        return [row async for row in self]

    async def to_polars(self) -> pl.DataFrame:
        """All rows as a frame of polars (`pip install firmdata[polars]`)."""
        return frames.to_polars(await self.to_list(), self._call.row_type)

    async def to_pandas(self) -> pd.DataFrame:
        """All rows as a frame of pandas (`pip install firmdata[pandas]`)."""
        return frames.to_pandas(await self.to_list(), self._call.row_type)
