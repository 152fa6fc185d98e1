"""Applies the toy format of docs/how-to/add-a-format.md to a copy of what it touches: apply_patch.py ROOT TREE.

Fails where the diff does not apply or touches other files than the page lists. To bring the diff up to date, make the change
in the repository, write `git diff` of it to docs/how-to/toy-format.patch and take it back.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys


def touched(patch):
    """The files that a diff makes or changes."""
    return set(re.findall(r"^\+\+\+ b/(\S+)", patch, re.MULTILINE))


def listed(page):
    """The files that the page lists, one to an indented line."""
    return set(re.findall(r"^    (\S+/\S+)$", page, re.MULTILINE))


def main(root, tree):
    file = root / "docs/how-to/toy-format.patch"
    patch = file.read_text(encoding="utf-8")
    page = (root / "docs/how-to/add-a-format.md").read_text(encoding="utf-8")
    if touched(patch) != listed(page):
        sys.exit(f"add-a-format.md lists {sorted(listed(page))}, toy-format.patch touches {sorted(touched(patch))}")
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for name in touched(patch):
        if (root / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, tree / name)
    # Inside of a repository git would look for the files there.
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)}
    subprocess.run(["git", "apply", str(file)], cwd=tree, env=environment, check=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
