"""``python -m pliant``: the command that was installed with the package."""

from __future__ import annotations

import os
import sys
from importlib import metadata

_NAMES = ("pliant", "pliant.exe")


def command() -> str:
    """The file of the command, from the list of what was installed with the package."""
    try:
        files = metadata.files("pliant") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name in _NAMES and file.parent.name != "pliant":
            found = os.fspath(file.locate())
            if os.access(found, os.X_OK):
                return found
    raise SystemExit("python -m pliant: the command is not installed; pip install . installs it with the package")


def main() -> None:
    """Becomes the command: signals, streams and the exit code are its own."""
    path = command()
    sys.stdout.flush()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
