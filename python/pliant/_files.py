"""Paths that lead nowhere, in Python's own words. Everything else about a file the library says."""

from __future__ import annotations

import errno
import os


def existing(path: str | os.PathLike[str]) -> str:
    """The path of a file to read."""
    file = os.fspath(path)
    if not os.path.exists(file):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
    if os.path.isdir(file):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), file)
    return file


def in_existing_folder(path: str | os.PathLike[str]) -> str:
    """The path of a file to write."""
    file = os.fspath(path)
    folder = os.path.dirname(file)
    if folder and not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
    return file
