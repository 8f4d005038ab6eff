"""CLI errors: a message with what happened and what to do, and an exit code.

0 all done · 1 error · 2 usage · 3 published with something quarantined · 4 nothing published.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from firm.console import printable_text
from warehouse.settings.errors import SettingError

ERROR, USAGE = 1, 2


def fail(message: str, code: int = ERROR) -> NoReturn:
    """Exits with a message on standard error, which must say what to do."""
    lines = map(printable_text, message.split("\n"))  # a message may quote a file
    sys.stderr.write("firm: " + "\n".join(lines) + "\n")
    raise typer.Exit(code)


@contextmanager
def exit_on_error(*kinds: type[Exception], code: int = ERROR) -> Iterator[None]:
    """Turns the given exceptions into a CLI error; their messages must be written for people.

    Other exceptions propagate. An invalid setting counts as a usage error, whichever command reads it first.
    """
    try:
        yield
    except kinds as error:
        fail(str(error), USAGE if isinstance(error, SettingError) else code)
