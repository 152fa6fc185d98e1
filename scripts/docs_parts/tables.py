"""Tables of docs that the command knows: tables.py (--write | --check) PLIANT.

A page says `<!-- table TOPIC -->`; what follows up to `<!-- end of table -->` is made from `pliant help TOPIC`.
(docs/settings.md is a table as a whole and made by the unit test of the settings.)
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = re.compile(r"(?<=^<!-- table )(\S+) -->\n.*?(?=^<!-- end of table -->$)", re.MULTILINE | re.DOTALL)
# Heads of the tables; columns of the help are at least two blanks apart.
HEADS = {
    "exit-codes": ["code", "meaning"],
    "statuses": ["status", "exit code", "meaning"],
    "methods": ["engine", "`--method`", "`outer` in JSON", "in logs"],
    "formats": ["format", "endings", "holds"],
}
BLANKS_DIVIDE = {"exit-codes", "statuses"}  # all cells but the last are single words
VERBATIM = {"status", "endings", "engine", "`--method`"}  # columns of names that are typed


def rows_of(topic, text):
    """The lines of a help page that are rows: those with two blanks in front, cut into as many cells as the head has."""
    head = HEADS[topic]
    for line in text.split("\n"):
        if not re.match(r" {2,}\S", line):
            continue
        cells = line.split(None, len(head) - 1) if topic in BLANKS_DIVIDE else re.split(r" {2,}", line.strip())
        if len(cells) != len(head):
            raise ValueError(f"pliant help {topic}: expected {len(head)} cells in {line!r}")
        yield cells


def table(topic, text):
    """A help page as a table."""
    head = HEADS[topic]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for cells in rows_of(topic, text):
        shown = [", ".join(f"`{word}`" for word in cell.split(", ")) if name in VERBATIM else cell
                 for name, cell in zip(head, cells)]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in shown) + " |")
    if len(lines) == 2:
        raise ValueError(f"pliant help {topic}: no rows")
    return "\n".join(lines) + "\n"


def renewed(text, help_page):
    """A page with its tables made again; `help_page` gives the text of a topic."""
    return PLACE.sub(lambda match: f"{match[1]} -->\n{table(match[1], help_page(match[1]))}", text)


def pages():
    return sorted((ROOT / "docs").rglob("*.md"))


def main():
    mode, pliant = sys.argv[1:]

    def help_page(topic):
        return subprocess.run([pliant, "help", topic], check=True, capture_output=True, text=True).stdout

    stale = []
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = renewed(before, help_page)
        if after != before:
            stale.append(str(page.relative_to(ROOT)))
            if mode == "--write":
                page.write_text(after, encoding="utf-8")
    if stale:
        print(f"{'written' if mode == '--write' else 'stale, run scripts/docs tables'}: {', '.join(stale)}")
    return 1 if stale and mode == "--check" else 0


if __name__ == "__main__":
    sys.exit(main())
