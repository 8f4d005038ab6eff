"""Console output: tables, framed on a terminal and plain lines elsewhere, or one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
"""The option of commands that report to programs as well."""


def print_result(as_json: bool, document: Mapping[str, Any], text: str) -> None:
    """Prints a result as one JSON object, or as text for people."""
    typer.echo(json.dumps(document) if as_json else text)


def progress_printer(*, quiet: bool) -> Callable[[str], None]:
    """Prints lines of progress on standard error, or nothing."""
    return lambda line: None if quiet else print_line(line)


def printable_text(text: str) -> str:
    """A text with its control characters as escapes: names and excerpts of files must not steer a terminal."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def print_line(line: str) -> None:
    """Prints one line on standard error; what it quotes of files is printable afterwards."""
    typer.echo(printable_text(line), err=True)


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> None:
    """Prints rows under a header: framed on a terminal, tab-separated in a pipe."""
    if not sys.stdout.isatty():
        if title:
            sys.stdout.write(f"{title}\n")
        for row in (head, *rows):
            sys.stdout.write("\t".join(map(printable_text, row)) + "\n")
        return
    framed = Table(title=title, title_justify="left")
    for name in head:
        framed.add_column(name)
    for row in rows:
        framed.add_row(*(Text(printable_text(cell)) for cell in row))  # not markup
    Console().print(framed)
