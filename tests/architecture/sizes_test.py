"""Files of at most 400 lines, functions of at most 60: sizes_test.py [FOLDER OF THE REPOSITORY]."""

import ast
import pathlib
import sys
import unittest

from cpp_functions import functions

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("src", "include", "cli", "python", "tests", "bench", "examples", "scripts")
SUFFIXES = {".cpp", ".hpp", ".py", ".js", ".css", ".cmake"}
LONGEST_FILE = 400
LONGEST_FUNCTION = 60


def language(file):
    """"cpp", "python", "other" or None: by ending, of files without one by the line that names the interpreter."""
    if not file.suffix and file.is_file():
        with file.open("rb") as stream:
            first = stream.readline()
        return None if not first.startswith(b"#!") else "python" if b"python" in first else "other"
    if file.suffix in (".cpp", ".hpp"):
        return "cpp"
    return "python" if file.suffix == ".py" else "other" if file.suffix in SUFFIXES else None


def files(root):
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if "__pycache__" not in file.parts and file.is_file() and (kind := language(file)):
                yield file, kind


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno, node.name


def problems(file, kind, text):
    lines = text.count("\n")
    if lines > LONGEST_FILE:
        yield f"{file}: {lines} lines (at most {LONGEST_FILE})"
    found = functions(text) if kind == "cpp" else python_functions(text) if kind == "python" else ()
    for first, last, name in found:
        if last - first + 1 > LONGEST_FUNCTION:
            yield f"{file}:{first}: {last - first + 1} lines (at most {LONGEST_FUNCTION}): {name[:100]}"


class Sizes(unittest.TestCase):
    def test_files_and_functions(self):
        found, seen = [], 0
        for file, kind in files(ROOT):
            seen += 1
            found += problems(file.relative_to(ROOT), kind, file.read_text(encoding="utf-8"))
        self.assertGreater(seen, 300)
        if found:
            self.fail("\n" + "\n".join(found))


class Functions(unittest.TestCase):
    """The counter of braces, on what the code base writes and on what could confuse it."""

    def expect(self, text, *found):
        self.assertEqual([(first, last, name.split("(")[0]) for first, last, name in functions(text)], list(found))

    def test_functions_in_scopes(self):
        self.expect("namespace a {\nint f() {\n  return 1;\n}\n}\nstruct S {\n  void g() const {}\n};\n",
                    (2, 4, "int f"), (7, 7, "void g"))

    def test_signature_counts(self):
        self.expect("template <class T = std::vector<int>>\nauto f(int a,\n       int b = int{3}) -> T {\n}\n",
                    (1, 4, "template <class T = std::vector<int>> auto f"))

    def test_access_labels_do_not_count(self):
        self.expect("class A {\n public:\n  A() {}\n private:\n  void f() {\n  }\n};", (3, 3, "A"), (5, 6, "void f"))

    def test_constructors(self):
        self.expect("A::A(int x) : a_{x}, b_(x), c_<int>{{1, 2}} {\n  f();\n}\nint g() {\n}\n",
                    (1, 3, "A::A"), (4, 5, "int g"))

    def test_blocks_belong_to_the_function(self):
        self.expect("int f() {\n  if (x) {\n    g([&] {\n      h();\n    });\n  }\n}\n", (1, 7, "int f"))

    def test_tables_are_no_functions(self):
        self.expect("const T table[] = {\n  {1, \"}\", '}'},\n  {2, [](int x) {\n     return x;\n   }, 3},\n};\n"
                    "int f() {}\n", (3, 5, "[]"), (7, 7, "int f"))

    def test_named_lambda(self):
        self.expect("constexpr auto f = [](double x) -> double {\n  return x;\n};\n", (1, 3, "constexpr auto f = []"))

    def test_calls_of_macros(self):
        self.expect("TEST(A, b) {\n  x;\n}\nINSTANTIATE(A, Values(1, 2), [](const auto& i) {\n  return i;\n});\n",
                    (1, 3, "TEST"), (4, 6, "[]"))

    def test_operators(self):
        self.expect("A& operator+=(const A& a) {\n}\nbool operator==(const A&) const {\n}\nvoid operator()(int) {\n}\n",
                    (1, 2, "A& operator+="), (3, 4, "bool operator=="), (5, 6, "void operator"))

    def test_literals_and_comments(self):
        self.expect("// {\n/* { */\n#define X {  \\\n  {\nint f() {\n"
                    "  auto s = R\"x({)x\"; char c = '{'; int n = 1'000'000;\n"
                    "  return '\\'' + \"\\\"{\"[0];\n}\n", (5, 8, "int f"))

    def test_values_and_defaults(self):
        self.expect("int a{3};\nstd::vector<int> b = {1, 2};\nvoid f(S s = {}, int k = 2) {\n}\nenum class E { x, y };\n"
                    "struct T {\n  double d = 0.0;\n  Vector v{1, 2};\n  void g() {\n  }\n};\n",
                    (3, 4, "void f"), (9, 10, "void g"))

    def test_unbalanced(self):
        for text in ("int f() {", "int f() {}}", "int f());"):
            with self.assertRaises(ValueError):
                functions(text)

    def test_long_ones_are_named(self):
        body = "  x();\n" * 59
        self.assertEqual(list(problems("a.cpp", "cpp", f"void f() {{\n{body}}}\n")),
                         ["a.cpp:1: 61 lines (at most 60): void f()"])
        self.assertEqual(list(problems("a.cpp", "cpp", f"void f() {{\n{body[7:]}}}\n")), [])
        self.assertEqual(list(problems("a.py", "python", "def f():\n" + "    x()\n" * 60)),
                         ["a.py:1: 61 lines (at most 60): f"])
        self.assertEqual(list(problems("a.js", "other", "x\n" * 401)), ["a.js: 401 lines (at most 400)"])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
