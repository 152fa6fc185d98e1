"""Every public name explains itself with an example that runs."""

import doctest
import inspect
import os
import pathlib
import re
import subprocess
import types

import pliant
import pytest
from pliant import generate, theory

FINDER_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def documented():
    """(name, object) of every public function, class and method."""
    for module in (pliant, generate, theory):
        yield module.__name__, module
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, (float, str, types.ModuleType)):
                continue
            yield f"{module.__name__}.{name}", value
            if inspect.isclass(value) and value.__module__.startswith("pliant._") and "_core" not in value.__module__:
                for method, function in vars(value).items():
                    if not method.startswith("_") and inspect.isfunction(function):
                        yield f"{module.__name__}.{name}.{method}", function


NAMED = dict(documented())
# Exceptions of the library, and records that functions return: their examples stand where they are made.
WITHOUT_EXAMPLE = {"pliant.InputError"} | {f"pliant.theory.{name}" for name in theory.__all__ if name[0].isupper()}


@pytest.mark.parametrize("name", NAMED)
def test_examples(name):
    value = NAMED[name]
    names = {**vars(theory)} if name.startswith("pliant.theory.") else {}
    test = doctest.DocTestParser().get_doctest(value.__doc__ or "", names, name, None, None)
    if name in WITHOUT_EXAMPLE:
        return
    assert test.examples, f"{name} has no example"
    output = []
    runner = doctest.DocTestRunner(optionflags=FINDER_FLAGS)
    runner.run(test, out=output.append)
    assert runner.failures == 0, "".join(output)


ROOT = pathlib.Path(__file__).resolve().parents[2]


TEXTS = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
PAGES = sorted(str(file.relative_to(ROOT)) for file in TEXTS if "```python\n" in file.read_text())


@pytest.mark.filterwarnings("ignore:no QP solver found")  # of qpsolvers, which does not know this one yet
@pytest.mark.parametrize("page", PAGES)
def test_pages_run_as_written(page, tmp_path, monkeypatch, capsys):
    """Python and shell blocks of a page, one after the other, in one folder."""
    if page == "docs/estimators.md":
        pytest.importorskip("sklearn", "1.6")
    if page.endswith("cvxpy.md"):
        pytest.importorskip("cvxpy", minversion="1.9")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(python|sh)\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    names = {}
    for language, block in blocks:
        if language == "python":
            exec(compile(block, page, "exec"), names)
        else:
            folder = pathlib.Path(os.environ["PLIANT_COMMAND"]).parent
            path = f"{folder}{os.pathsep}{os.environ['PATH']}"
            subprocess.run(["bash", "-euo", "pipefail", "-c", block], check=True, env={**os.environ, "PATH": path},
                           stdout=subprocess.DEVNULL)
