"""What mkdocs does beyond plain pages: texts from outside docs, code of examples, tabs.

Pages are written for people who read them in the repository as well, so that what the site adds stands in comments:
`<!-- code PATH -->` is the file at PATH, and what stands between `<!-- tabs -->` and `<!-- end of tabs -->` becomes tabs,
one for each line that is a bold word alone. Links to files outside docs lead to pages made of these files.
"""

import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "bench/README.md": "benchmarks.md"}
LANGUAGES = {".py": "python", ".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".txt": "cmake", ".patch": "diff"}
LINK = re.compile(r"(?<=\])\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")
HREF = re.compile(r'(?<=href=")(?![a-z]+:|#)([^"#]+)(#[^"]*)?(?=")')
CODE = re.compile(r"^<!-- code (\S+) -->$", re.MULTILINE)
TABS = re.compile(r"^<!-- tabs -->\n(.*?)^<!-- end of tabs -->$", re.MULTILINE | re.DOTALL)


def prose(text):
    """(is it prose, piece) of a page cut at its fenced code."""
    for place, piece in enumerate(re.split(r"^(```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)):
        yield place % 2 == 0, piece


def repository_path(uri):
    """Where a page of the site stands in the repository."""
    return next((path for path, page in TEXTS.items() if page == uri), f"docs/{uri}")


def site_uri(path):
    """The page or file of the site for a path of the repository; None if there is no such path."""
    if path in TEXTS:
        return TEXTS[path]
    if path.startswith("docs/") and not path.endswith(".patch"):
        return path.removeprefix("docs/")
    return f"source/{path}.md" if (ROOT / path).exists() else None


def targets(uri, text):
    """Paths of the repository that a page links to."""
    folder = posixpath.dirname(repository_path(uri))
    for is_prose, piece in prose(text):
        if is_prose:
            yield from (posixpath.normpath(posixpath.join(folder, found[0])) for found in LINK.findall(piece))


def fenced(path):
    """A file as a block of code."""
    fence = "````"
    return f"{fence}{LANGUAGES.get(path.suffix, 'bash')}\n{path.read_text(encoding='utf-8').rstrip()}\n{fence}"


def source_page(path):
    """A page that shows a file of the repository, or all files of a folder."""
    file = ROOT / path
    if file.is_file():
        return f"# {path}\n\n{fenced(file)}\n"
    parts = [f"# {path}\n"]
    parts += [f"## {child.name}\n\n{fenced(child)}\n" for child in sorted(file.iterdir()) if child.suffix in LANGUAGES]
    return "\n".join(parts)


def on_files(files, config):
    for path, uri in TEXTS.items():
        files.append(File.generated(config, uri, content=(ROOT / path).read_text(encoding="utf-8")))
    texts = {file.src_uri: file.content_string for file in files.documentation_pages()}
    wanted = {path for uri, text in texts.items() for path in targets(uri, text)}
    for path in sorted(wanted):
        uri = site_uri(path)
        if uri and uri.startswith("source/"):
            page = File.generated(config, uri, content=source_page(path))
            page.inclusion = page.inclusion.NOT_IN_NAV
            files.append(page)
    return files


def relinked(uri, text):
    """The text with links as the site needs them."""
    folder = posixpath.dirname(repository_path(uri))

    def replaced(match):
        place = posixpath.normpath(posixpath.join(folder, match[1]))
        target = site_uri(place)
        return match[0] if target is None else (
            f"({posixpath.relpath(target, posixpath.dirname(uri) or '.')}{match[2] or ''})")

    return "".join(LINK.sub(replaced, piece) if is_prose else piece for is_prose, piece in prose(text))


ITEM = re.compile(r"(?:[-*]|\d+\.) +")


def indented_lists(text):
    """What belongs to an item stands below its text in the repository; Python-Markdown wants four blanks."""
    lines, offset = [], 0  # of the text of the item that a line may belong to; 0: none
    for line in text.split("\n"):
        if item := ITEM.match(line):
            offset = len(item[0])
        elif line and not line.startswith(" ") and lines and not lines[-1]:
            offset = 0
        if offset and line.startswith(" " * offset):
            line = "    " + line[offset:]
        lines.append(line)
    return "\n".join(lines)


def tabbed(match):
    """Blocks under bold words as tabs."""
    pieces = re.split(r"^\*\*(.+)\*\*$", match[1], flags=re.MULTILINE)
    tabs = []
    for title, body in zip(pieces[1::2], pieces[2::2]):
        lines = [f"    {line}" if line else "" for line in body.strip("\n").split("\n")]
        tabs.append(f'=== "{title}"\n\n' + "\n".join(lines) + "\n")
    return "\n".join(tabs)


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri in ("README.md", "gallery/README.md"):  # the first has no neighbours, the second shows them
        page.meta["hide"] = ["navigation"]
    text = indented_lists(relinked(page.file.src_uri, markdown))
    text = CODE.sub(lambda match: fenced(ROOT / match[1]), text)
    return TABS.sub(tabbed, text)
