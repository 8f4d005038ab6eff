"""Console tables: framed on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> None:
    """Prints rows under a header: framed on a terminal, tab-separated in a pipe."""
    if not sys.stdout.isatty():
        if title:
            sys.stdout.write(f"{title}\n")
        for row in (head, *rows):
            sys.stdout.write("\t".join(row) + "\n")
        return
    framed = Table(title=title, title_justify="left")
    for name in head:
        framed.add_column(name)
    for row in rows:
        framed.add_row(*row)
    Console().print(framed)
