"""Shell blocks of the documentation run as written: how_to_commands.py PLIANT.

Every ```sh block of docs, page by page, each page in an empty folder with `pliant` on the PATH and the build as `build/dev`.
Pages that mix shell with Python are run by python/tests/test_docs.py. Commands that are not run (installing, building) stand
in indented blocks.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shell_pages(root):
    """{page: its blocks} of all pages that are run here."""
    pages = {}
    for file in sorted((root / "docs").rglob("*.md")):
        text = file.read_text(encoding="utf-8")
        if BLOCK.search(text) and "```python\n" not in text:
            pages[str(file.relative_to(root))] = BLOCK.findall(text)
    return pages


def run(block, folder, pliant):
    """The block in a shell that stops at the first failure; its output if it fails, else None."""
    environment = {**os.environ, "PATH": f"{pliant.parent}{os.pathsep}{os.environ['PATH']}"}
    words = ["bash", "-euo", "pipefail", "-c", block]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    if "Running 0 tests" in done.stdout:  # GoogleTest finds that a success
        return f"{block}no test has this name"
    return f"{block}exit code {done.returncode}\n{done.stdout}{done.stderr}" if done.returncode else None


class Commands(unittest.TestCase):
    def test_pages(self):
        pages = shell_pages(ROOT)
        self.assertTrue(pages)
        for page, blocks in pages.items():
            with self.subTest(page), tempfile.TemporaryDirectory() as folder:
                build = pathlib.Path(folder) / "build"
                build.mkdir()
                (build / "dev").symlink_to(BUILD)
                for block in blocks:
                    if said := run(block, folder, PLIANT):
                        self.fail("\n" + said)

    def test_how_tos_hide_no_command(self):
        """A command of pliant in a how-to is run, or it is part of a sentence."""
        for file in sorted((ROOT / "docs/how-to").glob("*.md")):
            hidden = re.findall(r"^ {4,}(?:\$ )?(?:build/\S+/)?pliant .*$", BLOCK.sub("", file.read_text(encoding="utf-8")),
                                re.MULTILINE)
            self.assertEqual(hidden, [], file.name)


class TestOfTheTest(unittest.TestCase):
    def test_failures_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(run("pliant --version\n", folder, PLIANT))
            self.assertIn("exit code", run("pliant solve gone.h5\n", folder, PLIANT))
            self.assertIn("exit code", run("false | true\n", folder, PLIANT))
            self.assertIn("exit code", run("false\ntrue\n", folder, PLIANT))
            self.assertIn("no test", run("echo Running 0 tests\n", folder, PLIANT))


if __name__ == "__main__":
    PLIANT = pathlib.Path(sys.argv.pop(1)).resolve()
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else PLIANT.parent
    unittest.main()
