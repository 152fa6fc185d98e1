"""Pages as Python-Markdown needs them: it reads a few things otherwise than CommonMark, for which they are written."""

import html
import re

TABS = re.compile(r"^<!-- tabs -->\n(.*?)^<!-- end of tabs -->$", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r"(?:[-*]|\d+\.) +")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
HIDDEN = re.compile(r"\0(\d+)\0")
STAR = re.compile(r"(?<![*\\])\*(?!\*)")


def prose(text):
    """(is it prose, piece) of a page cut at its fenced code."""
    for place, piece in enumerate(re.split(r"^(```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)):
        yield place % 2 == 0, piece


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


def literal_stars(paragraph):
    """x* is a name: a star behind something that is not blank ends emphasis only if some has begun."""
    out, at, begun = [], 0, False
    for star in STAR.finditer(paragraph):
        before, after = paragraph[:star.start()][-1:], paragraph[star.end():][:1]
        begins = (not before or before.isspace() or before in "([\"'") and after != "" and not after.isspace()
        ends = begun and before != "" and not before.isspace()
        out.append(paragraph[at:star.start()] + ("*" if begins or ends else "\\*"))
        begun = begins and not ends
        at = star.end()
    return "".join(out) + paragraph[at:]


def code_in_a_cell(span):
    """Its bars are written with a backslash, which only the table is meant to see."""
    if "\\|" not in span:
        return span
    text = html.escape(span.strip("`").replace("\\|", "|"), quote=False)
    for character in "|_*":
        text = text.replace(character, f"&#{ord(character)};")
    return f"<code>{text}</code>"


def plain_paragraph(paragraph):
    """Stars of formulas, <Q, X> as it stands, bars in code within tables."""
    if all(line.startswith("    ") for line in paragraph.split("\n") if line):
        return paragraph  # code
    spans = []

    def hide(match):
        spans.append(match[0])
        return f"\0{len(spans) - 1}\0"

    text = re.sub(r"<(?=[A-Z])", "&lt;", literal_stars(CODE_SPAN.sub(hide, paragraph)))
    if paragraph.lstrip().startswith("|"):
        spans = [code_in_a_cell(span) for span in spans]
    return HIDDEN.sub(lambda match: spans[int(match[1])], text)


def for_python_markdown(text):
    """A page, fenced code left as it is."""
    out = []
    for is_prose, piece in prose(text):
        if is_prose:
            piece = indented_lists("".join(plain_paragraph(part) for part in re.split(r"(\n[ \t]*\n)", piece)))
        out.append(piece)
    return "".join(out)


def tabs(text):
    """Blocks under bold words as tabs, where the page says so."""

    def tabbed(match):
        pieces = re.split(r"^\*\*(.+)\*\*$", match[1], flags=re.MULTILINE)
        out = []
        for title, body in zip(pieces[1::2], pieces[2::2]):
            lines = [f"    {line}" if line else "" for line in body.strip("\n").split("\n")]
            out.append(f'=== "{title}"\n\n' + "\n".join(lines) + "\n")
        return "\n".join(out) + "\n<!-- end of tabs -->"  # code that follows is not part of the last one

    return TABS.sub(tabbed, text)
