"""The scan of detect-secrets over what is tracked in the current folder, printed as `detect-secrets scan` prints it.

Filters answer in the order in which they are given, and a line goes on to the next one unless one drops it: here the one
that drops most lines answers first, which takes half of the command's time and finds the same. Nothing is sent
anywhere to see whether a secret works. Does not belong here: what is no secret (`judging`).

Started as a file, `python scanning.py EXCLUDED_FILES EXCLUDED_LINES`: detect-secrets keeps its settings by process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable

from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings


def scan(paths: Iterable[str], excluded_files: str, excluded_lines: str) -> SecretsCollection:
    """What looks like a secret in files of the current folder."""
    found = SecretsCollection()
    with default_settings() as settings:
        others = [{"path": path, **config} for path, config in settings.filters.items()]
        excluding = (("should_exclude_line", excluded_lines), ("should_exclude_file", excluded_files))
        ours = [{"path": f"detect_secrets.filters.regex.{name}", "pattern": [regex]} for name, regex in excluding]
        settings.configure_filters([*ours, *others])
        for path in paths:
            found.scan_file(path)
    return found


def main(excluded_files: str, excluded_lines: str) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    found = scan(filter(None, listed.split("\0")), excluded_files, excluded_lines)
    sys.stdout.write(json.dumps({"results": found.json()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
