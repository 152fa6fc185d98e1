"""What mkdocs does beyond plain pages: texts from outside docs, code of examples, tabs.

Pages are written for people who read them in the repository as well, so that what the site adds stands in comments:
`<!-- code PATH -->` is the file at PATH, and what stands between `<!-- tabs -->` and `<!-- end of tabs -->` becomes tabs,
one for each line that is a bold word alone. Links to files outside docs lead to pages made of these files.
"""

import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import page_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "bench/README.md": "benchmarks.md"}
# The section of the menu that a folder of docs belongs to.
SECTIONS = {"": "Reference", "coming-from": "Start", "experiments": "Background", "gallery": "Gallery", "how-to": "How to",
            "problems": "Problems"}
LANGUAGES = {".py": "python", ".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".txt": "cmake", ".patch": "diff"}
LINK = re.compile(r"(?<=\])\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")
CODE = re.compile(r"^<!-- code (\S+) -->$", re.MULTILINE)


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
    for is_prose, piece in page_text.prose(text):
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


def places(menu):
    """All pages that a menu names."""
    for entry in menu:
        for below in entry.values() if isinstance(entry, dict) else [entry]:
            yield from [below] if isinstance(below, str) else places(below)


def on_config(config):
    """Pages that the menu does not name stand at the end of the section of their folder, under their heading."""
    named = set(places(config.nav))
    for page in sorted((ROOT / "docs").rglob("*.md")):
        path = page.relative_to(ROOT / "docs").as_posix()
        if path not in named:
            folder = path.rpartition("/")[0]
            section = next(entry[SECTIONS[folder]] for entry in config.nav if SECTIONS[folder] in entry)
            section.append({page.read_text(encoding="utf-8").split("\n")[0].lstrip("# "): path})
    return config


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

    return "".join(LINK.sub(replaced, piece) if is_prose else piece for is_prose, piece in page_text.prose(text))


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri in ("README.md", "gallery/README.md"):  # the first has no neighbours, the second shows them
        page.meta["hide"] = ["navigation"]
    text = page_text.for_python_markdown(relinked(page.file.src_uri, markdown))
    text = CODE.sub(lambda match: fenced(ROOT / match[1]), text)
    return page_text.tabs(text)
