"""Writes the collections: `python -m api.collections FOLDER`."""

import sys
from pathlib import Path

from api.collections.writer import write_collections

if __name__ == "__main__":
    match sys.argv[1:]:
        case [folder]:
            write_collections(Path(folder))
        case _:
            sys.exit("usage: python -m api.collections FOLDER")
