"""Where the functions of a C++ file begin and end, found by counting braces.

Not a parser: comments, literals and preprocessor lines are blanked, then each opening brace is judged by the words before
it. That is enough for code that clang-format has seen. Lambdas count as part of the function around them; those in tables
outside of functions count by themselves.
"""

import re

_SKIPPED = re.compile(
    r"""
      //[^\n]*                                     # comment
    | /\*.*?\*/                                    # comment
    | R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)" # raw string
    | "(?:[^"\\\n]|\\.)*"                          # string
    | (?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+'          # character; after a digit the quote separates thousands
    | ^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*               # preprocessor, continued lines too
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_SCOPE = re.compile(r"\b(namespace|extern)\b")
_TYPE = re.compile(r"\b(class|struct|union|enum)\b")
_TEMPLATE = re.compile(r"\btemplate\s*<")


def blanked(text):
    """The text with literals, comments and preprocessor lines as blanks; lines stay where they are."""
    return _SKIPPED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def without_brackets(head):
    """What of a declaration stands outside of round and square brackets."""
    out, depth = [], 0
    for character in head:
        if character in "([":
            depth += 1
            out.append(character if depth == 1 else "")
        elif character in ")]":
            depth -= 1
            out.append(character if depth == 0 else "")
        elif depth == 0:
            out.append(character)
    return "".join(out)


def without_template(head):
    """The declaration behind template<...>, whose parameters may be introduced by class."""
    while found := _TEMPLATE.search(head):
        depth, end = 1, found.end()
        while end < len(head) and depth > 0:
            depth += {"<": 1, ">": -1}.get(head[end], 0)
            end += 1
        head = head[: found.start()] + head[end:]
    return head


def kind_of_brace(head, inside):
    """What an opening brace begins: scope, type, function, member (a field set by its braces) or value.

    `head` is the declaration up to the brace, `inside` the kind of the brace around it.
    """
    head = without_template(head)
    outside = without_brackets(head).strip()
    is_lambda = re.search(r"\[\]\s*(\(\)\s*(mutable\s*|noexcept\s*|->[^=]*)*)?$", outside)
    if is_lambda:
        return "function"
    if inside == "value":
        return "value"
    if "()" not in outside:
        return "scope" if _SCOPE.search(outside) else "type" if _TYPE.search(outside) and "=" not in outside else "value"
    if re.search(r"(?<![=!<>])=(?!=)", re.sub(r"\boperator[^\w\s(]+", "", outside)):
        return "value"
    constructor = re.search(r"\(\)[^:]*[^:]:(?!:)", outside)
    return "member" if constructor and re.search(r"[\w>]\s*$", head) else "function"


class _Scanner:
    def __init__(self, text):
        self.text = blanked(text)
        self.found = []

    def line(self, place):
        return self.text.count("\n", 0, place) + 1

    def end_of(self, place):
        """The brace that closes the one at `place`."""
        depth = 0
        for there in range(place, len(self.text)):
            depth += {"{": 1, "}": -1}.get(self.text[there], 0)
            if depth == 0:
                return there
        raise ValueError(f"line {self.line(place)}: a brace is never closed")

    def record(self, start, brace, end):
        head = re.sub(r"^(\s|\b(public|private|protected)\s*:)*", "", self.text[start:brace])
        first = brace - len(head)
        self.found.append((self.line(first), self.line(end), " ".join(head.split())))

    def scan(self, place, inside):
        """Declarations from `place` to the brace that ends them; returns its place."""
        starts = [place]  # where the present declaration begins, outside of brackets and inside of each open one
        while place < len(self.text):
            character = self.text[place]
            if character in "([":
                starts.append(place + 1)
            elif character in ")]":
                if len(starts) == 1:
                    raise ValueError(f"line {self.line(place)}: a bracket closes what none opened")
                starts.pop()
            elif character == ";" or (character == "," and (inside == "value" or len(starts) > 1)):
                starts[-1] = place + 1
            elif character == "{":
                place = self.brace(place, starts, inside)
            elif character == "}":
                return place
            place += 1
        return place

    def brace(self, place, starts, inside):
        kind = kind_of_brace(self.text[starts[-1] : place], inside if len(starts) == 1 else "value")
        end = self.end_of(place)
        if kind == "function":
            self.record(starts[-1], place, end)
        elif kind != "member":
            self.scan(place + 1, kind)
        if kind in ("scope", "type", "function"):
            starts[-1] = end + 1
        return end


def functions(text):
    """(first line, last line, declaration) of every function, lines counted from 1."""
    scanner = _Scanner(text)
    end = scanner.scan(0, "scope")
    if end < len(scanner.text):
        raise ValueError(f"line {scanner.line(end)}: a brace closes what none opened")
    return scanner.found
