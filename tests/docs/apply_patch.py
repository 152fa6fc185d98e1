"""Applies the toy of a how-to to a copy of what it touches: apply_patch.py ROOT TREE PATCH PAGE (both in docs/how-to).

Fails where the diff does not apply or touches other files than the page lists. To bring the diff up to date, make the change
in the repository, write `git diff` of it to the patch and take it back.
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


def main(root, tree, patch_name, page_name):
    file = root / "docs/how-to" / patch_name
    patch = file.read_text(encoding="utf-8")
    page = (root / "docs/how-to" / page_name).read_text(encoding="utf-8")
    if touched(patch) != listed(page):
        sys.exit(f"{page_name} lists {sorted(listed(page))}, {patch_name} touches {sorted(touched(patch))}")
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
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3], sys.argv[4])
