"""How the command line ends when something is wrong: what happened, what to do, and an exit code.

0 all done · 1 error · 2 usage · 3 published with something held · 4 nothing published.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from api.settings import SettingError as ServiceSettingError
from pipelines.settings import SettingError as PipelineSettingError

ERROR, USAGE = 1, 2
_SETTINGS = (ServiceSettingError, PipelineSettingError)


def fail(message: str, code: int = ERROR) -> NoReturn:
    """End with a message on standard error; it must say what to do."""
    sys.stderr.write(f"firm: {message}\n")
    raise typer.Exit(code)


@contextmanager
def explained(*kinds: type[Exception], code: int = ERROR) -> Iterator[None]:
    """Turn the named exceptions, whose messages are written for people, into that ending. Others stay loud.

    A setting that makes no sense is wrong use, whichever command reads it first.
    """
    try:
        yield
    except kinds as error:
        fail(str(error), USAGE if isinstance(error, _SETTINGS) else code)
