"""The page of --report in a real browser: report_test.py COMMAND

Exit code 77: there is no Chromium to try it with."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import browser

COMMAND = None
SKIPPED = 77


def make_pages(folder):
    """Name -> path of pages of different solves."""
    def pliant(*arguments, expected=0):
        done = subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True)
        assert done.returncode == expected, (arguments, done.returncode, done.stderr)

    pliant("generate", "dense_qp", "qp.h5", "n=10", "m=2000", "seed=1")
    pliant("generate", "logistic", "logistic.h5", "n=10", "m=500", "seed=2")
    pliant("generate", "infeasible", "infeasible.h5", "seed=1")
    pliant("generate", "sparse_qp", "sparse.h5", "n=60", "m=80", "seed=1")
    pliant("generate", "small_lmi", "lmi.h5", "n=4", "m=60", "seed=1")
    pliant("generate", "hinge", "hinge.h5", "n=5", "m=500", "seed=1")
    pliant("solve", "sparse.h5", "--quiet", "--linear-algebra", "sparse", "--report", "sparse.html")
    pliant("solve", "lmi.h5", "--quiet", "--nonsmooth", "interior", "--report", "conic.html")
    pliant("solve", "hinge.h5", "--quiet", "--report", "soft.html")
    pliant("solve", "qp.h5", "--quiet", "--report", "path.html")
    pliant("solve", "logistic.h5", "--quiet", "--method", "apg", "--report", "first_order.html")
    pliant("solve", "infeasible.h5", "--quiet", "--report", "infeasible.html", expected=3)
    pliant("solve", "qp.h5", "--quiet", "--max-iterations", "1", "--report", "stopped.html", expected=2)
    # A tolerance nobody reaches: ten thousand rows, as many as asked for.
    pliant("solve", "logistic.h5", "--quiet", "--method", "apg", "--outer", "static", "--delta", "1e-9", "--tol-gap",
           "1e-300", "--tol-feas", "1e-300", "--max-iterations", "100000", "--report", "long.html", expected=2)
    return {name[:-5]: os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".html")}


def read_data(path):
    """The columns of a page, read as the script does but without it."""
    with open(path, encoding="utf-8") as page:
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read()).group(1))
    columns = {}
    for name, column in data["columns"].items():
        if isinstance(column, dict):
            runs = column["runs"]
            column = [v for v, times in zip(runs[::2], runs[1::2]) for _ in range(times)]
        assert len(column) == data["rows"], name
        columns[name] = column
    known = [None if o is None or g is None else (o, g) for o, g in zip(columns["objective"], columns["gap"])]
    columns["bound"] = [k and k[0] + data["direction"] * k[1] for k in known]
    columns["gap_rel"] = [k and k[1] / (1 + abs(k[0])) for k in known]
    return columns


# Of every visible chart: its place, axes and series.
CHARTS = """[...document.querySelectorAll("svg.chart")].filter((s) => s.getClientRects().length).map((s) => ({
  figure: s.closest("figure").id, classes: s.getAttribute("class"), x: s.dataset.column,
  axis: s.dataset.x.split(" ").map(Number), log: s.dataset.log === "1",
  columns: [...s.closest("figure").querySelectorAll(".legend li")].map((i) => i.dataset.column)}))"""


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="pliant-report-")
        cls.pages = make_pages(cls.folder.name)
        cls.browser = browser.Browser(browser.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def open(self, name, **options):
        self.browser.open(self.pages[name], **options)
        return read_data(self.pages[name])

    def scroll_to(self, figure):
        """The box of the visible chart of a figure."""
        return self.browser.run(
            f"""(() => {{ const s = [...document.querySelectorAll("#{figure} svg.chart")]
                   .find((s) => s.getClientRects().length);
                 s.scrollIntoView({{block: "center"}});
                 const b = s.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; }})()""")

    def tip(self):
        return self.browser.run('document.getElementById("tip").hidden ? null : document.getElementById("tip").innerText')

    def tip_values(self):
        return self.browser.run('[...document.querySelectorAll("#tip b")].map((b) => b.textContent)')

    def expect_row(self, columns, chart, row):
        """The tip shows exactly this row."""
        self.assertIsNotNone(self.tip())
        first = self.tip().splitlines()[0]
        self.assertTrue(first.startswith("pass "), first)
        self.assertAlmostEqual(float(first.split()[1].rstrip(",")), columns["passes"][row], delta=1e-12)
        self.assertTrue(first.endswith(f"iteration {columns['iteration'][row]}"), first)
        for column, shown in zip(chart["columns"], self.tip_values(), strict=True):
            expected = columns[column][row]
            if expected is None:
                self.assertEqual(shown, "unknown")
            elif column in ("bound", "gap_rel"):  # computed in the page
                self.assertAlmostEqual(float(shown), expected, delta=1e-3 * abs(expected))
            else:
                self.assertEqual(float(shown), expected)

    def hover(self, chart, value):
        """Moves the pointer to a value of the horizontal axis."""
        left, top, width, height = self.scroll_to(chart["figure"])
        low, high, begin, end, _ = chart["axis"]
        pixel = begin + (value - low) / (high - low) * (end - begin)
        self.browser.move(left + pixel * width / 560, top + 0.4 * height)

    def test_nothing_is_loaded_and_nobody_complains(self):
        for name in self.pages:
            for scheme in ("light", "dark"):
                with self.subTest(page=name, scheme=scheme):
                    self.open(name, scheme=scheme)
                    for chart in self.browser.run(CHARTS)[:1]:  # none if nothing was recorded
                        self.hover(chart, 0.0)
                    self.assertEqual(self.browser.complaints(), [])
                    requests = [url for url in self.browser.requests() if not url.startswith("data:")]
                    self.assertEqual(requests, [f"file://{self.pages[name]}"])

    def test_hover_shows_the_data(self):
        for name in ("path", "first_order", "long"):
            columns = self.open(name)
            rows = len(columns["passes"])
            for x in ("passes", "time"):
                self.browser.run(f'document.getElementById("x-{x}").click()')
                for chart in self.browser.run(CHARTS):
                    self.assertEqual(chart["x"], x)
                    for wanted in (0, rows // 3, rows - 1):
                        with self.subTest(page=name, x=x, figure=chart["figure"], row=wanted):
                            value = columns[x][wanted]
                            # Rows may lie closer together than pixels: any of those under the pointer will do.
                            near = (chart["axis"][1] - chart["axis"][0]) / 350
                            self.hover(chart, value)
                            shown = self.browser.run(
                                f'document.querySelector("#{chart["figure"]} .x-{x}.y-log").row')
                            self.assertLessEqual(abs(columns[x][shown] - value), near)
                            self.expect_row(columns, chart, shown)
                            dots = self.browser.run(f'document.querySelectorAll("#{chart["figure"]} .spot").length')
                            known = sum(columns[c][shown] is not None for c in chart["columns"])
                            self.assertEqual(dots, known)

    def test_paths_are_drawn_over_iterations(self):
        for name in ("sparse", "conic"):
            columns = self.open(name)
            charts = self.browser.run(CHARTS)
            self.assertLessEqual({"objective", "accuracy", "mu", "steps"}, {chart["figure"] for chart in charts})
            for chart in charts:
                with self.subTest(page=name, figure=chart["figure"]):
                    self.assertEqual(chart["x"], "iteration")
                    self.hover(chart, columns["iteration"][-1])
                    shown = self.browser.run(f'document.querySelector("#{chart["figure"]} .x-iteration.y-log").row')
                    self.assertEqual(columns["iteration"][shown], columns["iteration"][-1])
                    self.expect_row(columns, chart, shown)
            self.press_label("x-time")
            self.expect_shown("time", "log")

    def test_labels_do_not_collide(self):
        """Texts of one chart keep clear of each other, on wide screens and narrow ones."""
        for name in self.pages:
            for width in (1280, 360):
                self.open(name, width=width)
                found = self.browser.run("""[...document.querySelectorAll("figure svg")]
                  .filter((s) => s.getClientRects().length && s.closest(".plot")).flatMap((s) => {
                    const texts = [...s.querySelectorAll("text.tick, text.title")];
                    const boxes = texts.map((t) => t.getBoundingClientRect());
                    const out = [];
                    for (let i = 0; i < boxes.length; ++i) for (let j = 0; j < i; ++j) {
                      const wide = Math.min(boxes[i].right, boxes[j].right) - Math.max(boxes[i].left, boxes[j].left);
                      const high = Math.min(boxes[i].bottom, boxes[j].bottom) - Math.max(boxes[i].top, boxes[j].top);
                      if (wide > 0 && high > 0.3 * boxes[i].height)
                        out.push(s.closest("figure").id + ": " + texts[j].textContent + " / " + texts[i].textContent);
                    }
                    return out; })""")
                with self.subTest(page=name, width=width):
                    self.assertEqual(found, [])

    def test_every_legend_has_its_lines(self):
        for name in self.pages:
            columns = self.open(name)
            for chart in self.browser.run(CHARTS):
                for column in chart["columns"]:
                    with self.subTest(page=name, figure=chart["figure"], column=column):
                        self.assertTrue(any(value is not None for value in columns[column]))

    def test_dots_lie_on_the_lines(self):
        columns = self.open("first_order")
        for scale in ("log", "linear"):
            self.browser.run(f'document.getElementById("y-{scale}").click()')
            for chart in self.browser.run(CHARTS):
                self.hover(chart, columns["passes"][-1])
                far = self.browser.run(f"""(() => {{
                  const svg = [...document.querySelectorAll("#{chart["figure"]} svg.chart")]
                    .find((s) => s.getClientRects().length);
                  return [...svg.querySelectorAll(".spot")].map((dot) => {{
                    const line = svg.querySelector(".line." + /s\\d/.exec(dot.getAttribute("class"))[0]);
                    const length = line.getTotalLength();
                    let best = Infinity;
                    for (let k = 0; k <= 4000; ++k) {{
                      const p = line.getPointAtLength(length * k / 4000);
                      best = Math.min(best, Math.hypot(p.x - dot.getAttribute("cx"), p.y - dot.getAttribute("cy")));
                    }}
                    return best;
                  }}); }})()""")
                with self.subTest(scale=scale, figure=chart["figure"]):
                    self.assertTrue(far)
                    self.assertLess(max(far), 1.0)

    def test_keys_walk_through_the_rows(self):
        columns = self.open("first_order")
        chart = self.browser.run(CHARTS)[0]
        self.scroll_to(chart["figure"])
        self.browser.run('document.querySelector("#objective .x-passes.y-log").focus()')
        rows = len(columns["passes"])
        for key, row in (("End", rows - 1), ("ArrowLeft", rows - 2), ("Home", 0), ("ArrowRight", 1)):
            self.browser.key(key)
            with self.subTest(key=key):
                self.expect_row(columns, chart, row)
        self.browser.key("Escape")
        self.assertIsNone(self.tip())

    def press_label(self, target):
        left, top, width, height = self.browser.run(
            f"""(() => {{ const l = document.querySelector('label[for="{target}"]');
                 l.scrollIntoView({{block: "center"}});
                 const b = l.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; }})()""")
        self.browser.click(left + width / 2, top + height / 2)

    def expect_shown(self, x, y):
        charts = self.browser.run(CHARTS)
        self.assertTrue(charts)
        for chart in charts:
            self.assertIn(f"x-{x} y-{y}", chart["classes"])

    def test_switches(self):
        self.open("path")
        self.expect_shown("passes", "log")
        self.press_label("x-time")
        self.expect_shown("time", "log")
        self.press_label("y-linear")
        self.expect_shown("time", "linear")
        self.browser.run('document.getElementById("x-time").focus()')
        self.browser.key("ArrowLeft")  # the keys of radio buttons
        self.expect_shown("passes", "linear")

    def test_switches_need_no_script(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.open("path")
            self.assertFalse(self.browser.run('document.documentElement.classList.contains("js")'))
            self.expect_shown("passes", "log")
            self.press_label("x-time")
            self.expect_shown("time", "log")
            self.assertIn("Solved, and proved", self.browser.run("document.body.innerText"))
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)

    def brightness_and_colours(self):
        pixels = self.browser.screenshot()
        colours = {}
        for row in pixels[::2]:
            for pixel in row[::2]:
                colours[pixel] = colours.get(pixel, 0) + 1
        total = sum(colours.values())
        return sum(sum(p) * n for p, n in colours.items()) / (3 * total), colours

    def test_light_and_dark_are_not_blank(self):
        seen = {}
        for name in ("path", "first_order"):
            for scheme, line in (("light", (0x00, 0x72, 0xb2)), ("dark", (0x56, 0xb4, 0xe9))):
                with self.subTest(page=name, scheme=scheme):
                    self.open(name, scheme=scheme)
                    self.scroll_to("accuracy")
                    brightness, colours = self.brightness_and_colours()
                    seen[scheme] = brightness
                    self.assertGreater(len(colours), 50)
                    self.assertGreater(colours.get(line, 0), 20)  # a line of a chart
            self.assertGreater(seen["light"], 200)
            self.assertLess(seen["dark"], 60)

    def test_theme_button(self):
        background = "getComputedStyle(document.body).backgroundColor"
        for scheme in ("light", "dark"):
            self.open("path", scheme=scheme)
            first = self.browser.run(background)
            self.browser.run('document.getElementById("theme").click()')
            second = self.browser.run(background)
            self.assertNotEqual(first, second)
            self.browser.run('document.getElementById("theme").click()')
            self.assertEqual(self.browser.run(background), first)

    def test_fits_narrow_screens_and_paper(self):
        for name in self.pages:
            with self.subTest(page=name):
                self.open(name, width=360, height=700)
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 360)
                pdf = self.browser.pdf()
                self.assertTrue(pdf.startswith(b"%PDF"))
                self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", pdf)), 6)

    def test_tables_are_whole_on_narrow_screens(self):
        """Nothing of a table hides behind the edge; the recorded rows alone, folded away, may be scrolled."""
        for name in self.pages:
            for width in (400, 1280):
                self.open(name, width=width)
                cut = self.browser.run("""[...document.querySelectorAll("table")].filter((t) => !t.closest("details"))
                  .filter((t) => t.getBoundingClientRect().right > t.parentElement.getBoundingClientRect().right + 1)
                  .map((t) => t.closest("section").id)""")
                with self.subTest(page=name, width=width):
                    self.assertEqual(cut, [])

    def test_long_traces_stay_small(self):
        columns = read_data(self.pages["long"])
        self.assertGreaterEqual(len(columns["passes"]), 10000)
        for path in self.pages.values():
            self.assertLess(os.path.getsize(path), 1_000_000)


if __name__ == "__main__":
    COMMAND = os.path.abspath(sys.argv.pop(1))
    if browser.find() is None:
        print("skipped: there is no Chromium (scripts/setup installs it where it can)")
        sys.exit(SKIPPED)
    unittest.main(verbosity=1)
