"""Examples of the gallery: each runs at a small size and verifies its answer; each has a page, a picture and a place."""

import os
import pathlib
import re
import subprocess
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples/gallery"
PAGES = ROOT / "docs/gallery"
NAMES = sorted(file.stem for file in EXAMPLES.glob("*.py") if file.stem != "common")
LARGEST_PICTURE = 150_000  # bytes; pictures are looked at in a browser, and kept in the repository


def run(name, *options):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, EXAMPLES / f"{name}.py", *options]
    return subprocess.run(words, capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("name", NAMES)
def test_examples_verify_their_answers(name):
    done = run(name, "--small", "--seed", os.environ.get("PLIANT_TEST_SEED", "0"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("  ok  ") >= 4 and "OFF" not in done.stdout


def test_a_wrong_answer_is_seen(tmp_path):
    """A row that NumPy knows of and the problem does not."""
    text = (EXAMPLES / "hard_margin_svm.py").read_text()
    spoiled = text.replace("pl.linear_le(G, -np.ones(m))", "pl.linear_le(G[1:], -np.ones(m - 1))").replace(
        "G = -y", "y[0] = -y[0]\nG = -y")
    assert spoiled != text
    (tmp_path / "spoiled.py").write_text(spoiled.replace("r.duals[rows]", "np.append(0.0, r.duals[rows])"))
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(EXAMPLES)}
    words = [sys.executable, tmp_path / "spoiled.py", "--small"]
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and "OFF violation as recomputed" in done.stdout, done.stdout + done.stderr


def test_one_picture_is_drawn(tmp_path):
    done = run("filter_design", "--small", "--picture", str(tmp_path / "out.svg"))
    assert done.returncode == 0, done.stderr
    assert "<svg" in (tmp_path / "out.svg").read_text()


def test_every_example_has_its_page_and_picture():
    index = (PAGES / "README.md").read_text()
    assert len(NAMES) >= 12
    assert sorted(page.stem for page in PAGES.glob("*.md") if page.stem != "README") == NAMES
    for name in NAMES:
        text = (PAGES / f"{name}.md").read_text()
        assert f"<!-- code examples/gallery/{name}.py -->" in text
        assert re.search(r"<!-- figures -->\n\| solver .*\n\|.*\n\| pliant \|", text), f"{name}: run bench/gallery --write"
        assert f"]({name}.md)" in index and f"]({name}.svg)" in index
        assert (PAGES / f"{name}.svg").stat().st_size <= LARGEST_PICTURE


def test_tables_have_times_only_where_asked_for(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = types.ModuleType("bench_gallery")
    exec(compile((ROOT / "bench/gallery").read_text(), "bench/gallery", "exec"), vars(module))
    rows = [dict(solver="pliant", value=2.0, violation=0.0, work="3.0 passes", seconds=0.25, bound=1.7),
            dict(solver="other", value=None, violation=None, work="failed", seconds=None)]
    plain = module.markdown(*module.table(rows, False))
    assert plain.endswith("\n| pliant | 2 | 1e-01 | < 1e-9 | 3.0 passes |\n| other | none | none | none | failed |\n")
    assert "seconds" not in plain
    timed = module.markdown(*module.table(rows, True))
    assert "| 0.25 |" in timed and timed.split("\n")[0].endswith("| seconds |")
    page = "a\n<!-- figures -->\n| old |\n<!-- end of figures -->\nb\n"
    assert module.PLACE.sub(plain, page) == f"a\n<!-- figures -->\n{plain}<!-- end of figures -->\nb\n"
