"""Links of the documentation lead somewhere, tables that the command knows are its own: links_test.py PLIANT."""

import pathlib
import posixpath
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/docs_parts"))
import page_text  # noqa: E402
import tables  # noqa: E402

FENCE = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:href|src)=\"([^\"]+)\"")
CODE = re.compile(r"^<!-- code (\S+) -->$", re.MULTILINE)


def pages(root):
    """Every page: the texts at the top, and all of docs and bench."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "bench").glob("*.md")])


def anchors(text):
    """The names of the headings of a page, as GitHub and the site make them."""
    found, out = {}, set()
    for title in re.findall(r"^#{1,6} +(.+?)#*$", FENCE.sub("", text), re.MULTILINE):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)|<[^>]*>", r"\1", title.replace("`", ""))
        name = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
        out.add(name if found[name] == 0 else f"{name}-{found[name]}")
    return out


def links(text):
    plain = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))
    return [a or b for a, b in LINK.findall(plain)]


def broken(root, page, text):
    """Links of a page without a target, in words."""
    for link in links(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = root / posixpath.normpath(posixpath.join(page.relative_to(root).parent.as_posix(), path)) if path else page
        if not target.exists():
            yield f"{link}: no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(text if not path else target.read_text("utf-8")):
            yield f"{link}: no such heading"
    for path in CODE.findall(text):
        if not (root / path).is_file():
            yield f"code {path}: no such file"


class Links(unittest.TestCase):
    def test_links(self):
        for page in pages(ROOT):
            with self.subTest(page.name):
                self.assertEqual(list(broken(ROOT, page, page.read_text(encoding="utf-8"))), [], page)

    def test_failures_are_seen(self):
        page = ROOT / "docs/README.md"
        for text, seen in {"[a](gone.md)": 1, "[a](faq.md#gone)": 1, "[a](#gone)": 1, "[a](faq.md) `[b](gone.md)`": 0,
                           "```\n[a](gone.md)\n```": 0, "<!-- code examples/gone.py -->": 1,
                           "## Here\n[a](#here) [b](command.md#exit-codes)": 0, '<img src="gone.svg">': 1}.items():
            self.assertEqual(len(list(broken(ROOT, page, text))), seen, text)


class Texts(unittest.TestCase):
    """What the site makes of pages that are written for CommonMark."""

    def test_stars(self):
        for text, shown in {"F* and x*": r"F\* and x\*", "*Gap*, F*": r"*Gap*, F\*", "**all** of x*": r"**all** of x\*",
                            "(*why*) |x0-x*|": r"(*why*) |x0-x\*|", "`F*` x*": r"`F*` x\*",
                            "    code F* x*": "    code F* x*", "```\nF* x*\n```": "```\nF* x*\n```"}.items():
            self.assertEqual(page_text.for_python_markdown(text), shown)

    def test_cells_and_brackets(self):
        self.assertEqual(page_text.for_python_markdown(r"| `a\|_b` | <Q, X> |"),
                         "| <code>a&#124;&#95;b</code> | &lt;Q, X> |")
        self.assertEqual(page_text.for_python_markdown('<img src="a">'), '<img src="a">')

    def test_lists(self):
        self.assertEqual(page_text.for_python_markdown("1. a\n   - b\n\n   c\n\nd"), "1. a\n    - b\n\n    c\n\nd")

    def test_tabs(self):
        made = page_text.tabs("<!-- tabs -->\n**C++**\n\n```cpp\nint x;\n```\n<!-- end of tabs -->\n")
        self.assertEqual(made, '=== "C++"\n\n    ```cpp\n    int x;\n    ```\n\n<!-- end of tabs -->\n')


class Tables(unittest.TestCase):
    def help_page(self, topic):
        return subprocess.run([PLIANT, "help", topic], check=True, capture_output=True, text=True).stdout

    def test_tables_are_those_of_the_command(self):
        topics = set()
        for page in tables.pages():
            text = page.read_text(encoding="utf-8")
            topics |= {match[1] for match in tables.PLACE.finditer(text)}
            self.assertEqual(text, tables.renewed(text, self.help_page), f"{page.name} is stale: run scripts/docs tables")
        self.assertEqual(topics, set(tables.HEADS))

    def test_failures_are_seen(self):
        page = "<!-- table exit-codes -->\n| code | meaning |\n|---|---|\n| 0 | never |\n<!-- end of table -->\n"
        self.assertNotEqual(page, tables.renewed(page, self.help_page))


if __name__ == "__main__":
    PLIANT = sys.argv.pop(1)
    unittest.main()
