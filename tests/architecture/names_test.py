"""Names in pages for developers exist: files, folders, types, functions, options. The picture shows the real order."""

import itertools
import pathlib
import re
import sys
import unittest

from layers_test import order_of_folders, sources

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("docs/architecture.md", "CONTRIBUTING.md", "docs/how-to/add-a-constraint-family.md", "docs/how-to/add-a-format.md",
         "docs/how-to/add-a-holder.md", "docs/how-to/add-a-method.md")
FOLDERS = {"src", "include", "cli", "python", "tests", "bench", "docs", "scripts", "examples", "cmake"}


def expanded(name):
    """a/{b,c}.hpp as a/b.hpp and a/c.hpp."""
    parts = [part.split(",") for part in re.split(r"[{}]", name)]
    return ["".join(choice) for choice in itertools.product(*parts)] if "{" in name else [name]


def code_of(root):
    """All C++ of the library and the command, comments and strings included."""
    folders = (root / "include", root / "src", root / "cli")
    return "\n".join(file.read_text(encoding="utf-8") for folder in folders for file in sources(folder))


def exists(name, root, code):
    """Whether a name in backticks stands for something; of a command, whether the scripts it names do."""
    command, *words = name.replace("\\|", "|").split()
    if words and (command in ("python3", "ctest") or command.startswith("scripts/")):
        scripts = [word for word in (command, *words) if word.split("/")[0] in FOLDERS]
        return all((root / word).is_file() for word in scripts)
    if name.startswith("build/") or (root / name).is_file():
        return True
    if name.split("/")[0].strip(".") in FOLDERS and " " not in name:
        if "*" in name:
            return any(root.glob(name))
        return (root / name).exists()
    if re.fullmatch(r"\w+\.[ch]pp", name):  # a neighbour of a file named before
        return any(file.name == name for folder in ("src", "include") for file in sources(root / folder))
    if name.startswith("--"):
        option = name.split()[0].lstrip("-").replace("-", "_")
        return f'"{option}"' in code or f'"{name.split()[0]}' in code or f",{name.split()[0]}" in code
    if re.fullmatch(r"[A-Z]\w*", name):
        return re.search(rf"\b(class|struct|enum|using|concept)\s+(class\s+)?{name}\b", code) is not None
    if re.fullmatch(r"\w+(::|\.)\w+", name):
        scope, member = re.split(r"::|\.", name)
        return (scope == "std" or exists(scope, root, code)) and re.search(rf"\b{member}\b", code) is not None
    if re.fullmatch(r"\w+(\(\))?", name):
        name = name.removesuffix("()")
        return re.search(rf"\b{name}\b", code) is not None
    if name.startswith("pliant "):
        return f'"{name.split()[1]}"' in code or name.split()[1].startswith("-")
    return False


def missing_names(text, root, code):
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    names = {inner for found in re.findall(r"`([^`\n]+)`", text) for inner in expanded(found)}
    links = {link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link}
    return sorted(name for name in names if not exists(name, root, code)), links


def folders_of_picture(text):
    """The folders of the first block, from the bottom up."""
    block = re.search(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
    lines = [re.split(r"\s{2,}", line, maxsplit=1)[0].split() for line in block.splitlines() if line.strip()]
    return [folder for line in reversed(lines) for folder in line]


class Names(unittest.TestCase):
    def test_names_exist(self):
        code = code_of(ROOT)
        for page in PAGES:
            file = ROOT / page
            missing, links = missing_names(file.read_text(encoding="utf-8"), ROOT, code)
            with self.subTest(page):
                self.assertEqual(missing, [])
                self.assertEqual([link for link in links if not (file.parent / link).exists()], [])

    def test_picture_shows_the_order(self):
        text = (ROOT / PAGES[0]).read_text(encoding="utf-8")
        self.assertEqual(folders_of_picture(text), order_of_folders(ROOT))


class TestOfTheTest(unittest.TestCase):
    CODE = """
        class Known final {};
        std::vector<int> known_function();
        add("--json");
        {"tol_feas", "V"}
        command("solve");
    """
    THERE = ("Known", "known_function", "known_function()", "std::vector", "Known::known_function", "--json",
             "--tol-feas 1e-8", "pliant solve", "src/CMakeLists.txt", "tests/architecture", "CHANGELOG.md", "softplus.hpp",
             "scripts/build dev", "build/dev/bin/x")
    GONE = ("Unknown", "Known::gone", "std::gone", "gone()", "gone", "--gone", "pliant gone", "src/gone.hpp", "tests/gone",
            "a + b", "GONE.md", "gone.hpp", "scripts/gone dev", "python3 tests/gone.py")

    def test_names(self):
        self.assertEqual([name for name in self.THERE if not exists(name, ROOT, self.CODE)], [])
        self.assertEqual([name for name in self.GONE if exists(name, ROOT, self.CODE)], [])

    def test_braces(self):
        self.assertEqual(expanded("a/{b,c}.hpp"), ["a/b.hpp", "a/c.hpp"])

    def test_picture(self):
        self.assertEqual(folders_of_picture("x\n```\nhigh    above\nlow mid   b\n```\n"), ["low", "mid", "high"])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
