"""Writes the collections: `python -m api.collections FOLDER`."""

import sys
from pathlib import Path

from api.collections.writing import write

if __name__ == "__main__":
    match sys.argv[1:]:
        case [folder]:
            write(Path(folder))
        case _:
            sys.exit("usage: python -m api.collections FOLDER")
