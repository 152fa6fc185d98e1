"""Includes of src point downward: layers_test.py [FOLDER OF THE REPOSITORY].

The order of folders is the foreach in src/CMakeLists.txt. A file may include its own folder and those before it. No two
folders, however deep, may need each other (a folder and one inside it count as one room), nor may two files.
"""

import itertools
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
SUFFIXES = {".cpp", ".hpp"}


def order_of_folders(root):
    """Folders of src from the bottom up."""
    text = (root / "src/CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"foreach\(folder\s+([^)]*)\)\s*add_subdirectory\(\$\{folder\}\)", text)
    if not found:
        raise AssertionError("src/CMakeLists.txt: expected foreach(folder ...) with the order of the folders")
    return found.group(1).split()


def sources(folder):
    return sorted(file for file in folder.rglob("*") if file.suffix in SUFFIXES)


def includes(root):
    """(place, file, target) of every include in quotes below src; the target is a path or None."""
    for file in sources(root / "src"):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if found := INCLUDE.match(line):
                places = (root / "src", root / "include", file.parent)
                target = next((place / found[1] for place in places if (place / found[1]).is_file()), None)
                yield f"{file.relative_to(root)}:{number}: {line.strip()}", file, target


def problems_of_order(root):
    """Lines that say which include breaks the order, and which folders have no place in it."""
    order = order_of_folders(root)
    rank = {folder: k for k, folder in enumerate(order)}
    src = root / "src"
    for folder in sorted({file.relative_to(src).parts[0] for file in sources(src)} - set(order)):
        yield f"src/{folder}: not in the order of src/CMakeLists.txt"
    for folder in order:
        if not (src / folder).is_dir():
            yield f"src/CMakeLists.txt: src/{folder} does not exist"
    for place, file, target in includes(root):
        if target is None:
            yield f"{place}: no such file"
        elif target.is_relative_to(src):
            here, there = (path.relative_to(src).parts[0] for path in (file, target))
            if here in rank and there in rank and rank[there] > rank[here]:
                yield f"{place}: {there} lies above {here}"


def public_problems(root):
    """Public headers are installed without the others."""
    for file in sources(root / "include"):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            found = INCLUDE.match(line)
            if found and not (root / "include" / found[1]).is_file():
                yield f"{file.relative_to(root)}:{number}: {line.strip()}: not below include"


def unlisted_sources(root):
    """A source that no CMakeLists.txt names is not built."""
    src = root / "src"
    for file in sources(src):
        if file.suffix != ".cpp":
            continue
        lists = [folder / "CMakeLists.txt" for folder in file.parents if folder.is_relative_to(src)]
        named = any(
            str(file.relative_to(each.parent)) in re.split(r"[\s()]+", each.read_text(encoding="utf-8"))
            for each in lists
            if each.is_file()
        )
        if not named:
            yield f"{file.relative_to(root)}: in no CMakeLists.txt"


def cycle(edges):
    """A cycle a -> b -> ... -> a of a graph {node: set of nodes}, or None."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return None
        path.append(node)
        for following in sorted(edges.get(node, ())):
            if found := visit(following):
                return found
        path.pop()
        done.add(node)
        return None

    return next((found for node in sorted(edges) if (found := visit(node))), None)


def cycles(root):
    """Cycles among files and among folders, with the includes that make them."""
    src = root / "src"
    of_files, of_folders, example = {}, {}, {}
    for place, file, target in includes(root):
        if target is None or not target.is_relative_to(src):
            continue
        here, there = (path.relative_to(src) for path in (file, target))
        of_files.setdefault(str(here), set()).add(str(there))
        if not (here.parent.is_relative_to(there.parent) or there.parent.is_relative_to(here.parent)):
            of_folders.setdefault(str(here.parent), set()).add(str(there.parent))
            example.setdefault((str(here.parent), str(there.parent)), place)
    if found := cycle(of_files):
        yield "files include each other: " + " -> ".join(found)
    if found := cycle(of_folders):
        lines = [example[pair] for pair in itertools.pairwise(found)]
        yield "\n  ".join(["folders need each other: " + " -> ".join(found), *lines])


class Layers(unittest.TestCase):
    def expect_none(self, found):
        if found := list(found):
            self.fail("\n" + "\n".join(found))

    def test_there_is_something_to_check(self):
        self.assertGreater(len(list(includes(ROOT))), 500)
        self.assertGreater(len(order_of_folders(ROOT)), 10)

    def test_includes_point_downward(self):
        self.expect_none(problems_of_order(ROOT))

    def test_public_headers_stand_alone(self):
        self.expect_none(public_problems(ROOT))

    def test_no_cycles(self):
        self.expect_none(cycles(ROOT))

    def test_every_source_is_built(self):
        self.expect_none(unlisted_sources(ROOT))


class TestOfTheTest(unittest.TestCase):
    """A tree with one fault each: the fault is named, the tree without it passes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("src/CMakeLists.txt", "foreach(folder low\n  high)\n  add_subdirectory(${folder})\nendforeach()\n")
        self.write("src/low/CMakeLists.txt", "target_sources(pliant PRIVATE low.cpp deep/deep.cpp)\n")
        self.write("src/low/low.hpp", '#include "pliant/types.hpp"\n')
        self.write("src/low/low.cpp", '#include "low/low.hpp"\n')
        self.write("src/low/deep/deep.cpp", '#include "low/low.hpp"\n')
        self.write("src/high/high.hpp", '#include "low/low.hpp"\n#include <vector>\n')
        self.write("include/pliant/types.hpp", "\n")

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def found(self):
        return [
            line
            for check in (problems_of_order, public_problems, cycles, unlisted_sources)
            for line in check(self.root)
        ]

    def test_sound_tree(self):
        self.assertEqual(self.found(), [])

    def test_upward_include(self):
        self.write("src/low/bad.hpp", '\n#include "high/high.hpp"\n')
        self.assertEqual(self.found()[0], 'src/low/bad.hpp:2: #include "high/high.hpp": high lies above low')

    def test_missing_file(self):
        self.write("src/high/bad.hpp", '#include "low/gone.hpp"\n')
        self.assertEqual(self.found(), ['src/high/bad.hpp:1: #include "low/gone.hpp": no such file'])

    def test_folder_without_place(self):
        self.write("src/lost/lost.hpp", "\n")
        self.assertEqual(self.found(), ["src/lost: not in the order of src/CMakeLists.txt"])

    def test_private_header_in_public_one(self):
        self.write("include/pliant/bad.hpp", '#include "low/low.hpp"\n')
        self.assertEqual(len(self.found()), 1)

    def test_cycle_of_inner_folders(self):
        self.write("src/low/one/a.hpp", '#include "low/two/b.hpp"\n')
        self.write("src/low/two/b.hpp", "\n")
        self.write("src/low/two/c.hpp", '#include "low/one/d.hpp"\n')
        self.write("src/low/one/d.hpp", "\n")
        (found,) = self.found()
        self.assertIn("low/one -> low/two -> low/one", found)
        self.assertIn('src/low/two/c.hpp:1: #include "low/one/d.hpp"', found)

    def test_cycle_of_files(self):
        self.write("src/low/a.hpp", '#include "low/b.hpp"\n')
        self.write("src/low/b.hpp", '#include "low/a.hpp"\n')
        self.assertEqual(self.found(), ["files include each other: low/a.hpp -> low/b.hpp -> low/a.hpp"])

    def test_source_not_built(self):
        self.write("src/high/high.cpp", "\n")
        self.assertEqual(self.found(), ["src/high/high.cpp: in no CMakeLists.txt"])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
