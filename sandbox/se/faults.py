"""Splits the Swedish bulk files into records and cells, and serialises them again in their own format.

Belongs here: recognising such a file, its records and cells. Does not belong here: the faults applied to them
(`faults.files`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_BEGINNING: Final = re.compile(r'(?m)^(?="\d{10,12}\$)')
_REGISTER: Final = "organisationsidentitet;"
_STATISTICS: Final = "ForAndrTyp\t"
Rows = list[list[str]]


def is_bulk(body: bytes) -> bool:
    """True if a text is one of the two bulk files."""
    return body.startswith((_REGISTER.encode(), _STATISTICS.encode()))


def rewrite_records(body: bytes, change: Callable[[list[str]], list[str]]) -> bytes:
    """The file with changed records; a record may span several lines."""
    text, encoding = _decode_body(body)
    head, _, rest = text.partition("\n")
    records = _BEGINNING.split(rest)[1:] if encoding == "utf-8" else rest.splitlines(keepends=True)
    return (f"{head}\n" + "".join(change(records))).encode(encoding)


def rewrite_cells(body: bytes, change: Callable[[Rows], Rows]) -> bytes:
    """The file with changed cells, including the header's."""
    text, encoding = _decode_body(body)
    head, _, rest = text.partition("\n")
    if encoding == "utf-8":
        rows = [record.rstrip("\n")[1:-1].split('";"') for record in _BEGINNING.split(rest)[1:]]
        names, *changed = change([head.split(";"), *rows])
        lines = [";".join(names), *('"' + '";"'.join(row) + '"' for row in changed)]
    else:  # every line ends with a tab, followed by an empty column
        cut = [line.removesuffix("\t").split("\t") for line in (head, *rest.splitlines())]
        lines = ["\t".join((*row, "")) for row in change(cut)]
    return "".join(f"{line}\n" for line in lines).encode(encoding)


def _decode_body(body: bytes) -> tuple[str, str]:
    encoding = "utf-8" if body.startswith(_REGISTER.encode()) else "cp1252"
    return body.decode(encoding), encoding
