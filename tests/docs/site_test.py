"""The site that scripts/docs builds, looked at from disk: site_test.py SITE

What pages refer to is there and local. With a Chromium every page is opened without network: no request fails or leaves the
folder, nothing complains, and the search finds."""

import html.parser
import pathlib
import re
import sys
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))
import browser

SITE = None
STYLE_URL = re.compile(r"url\(\s*[\"']?([^)\"']+)")
NARROW = 400


class Page(html.parser.HTMLParser):
    """What a page loads, what it links to and what can be linked to in it."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.linked, self.names = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if given.get("id"):
            self.names.add(given["id"])
        if tag == "a" and given.get("href"):
            self.linked.append(given["href"])
        if tag == "link" and given.get("rel") not in ("canonical", "prev", "next") and given.get("href"):
            self.loaded.append(given["href"])
        if given.get("src"):
            self.loaded.append(given["src"])
        self.loaded += STYLE_URL.findall(given.get("style") or "")


def pages():
    return sorted(SITE.rglob("*.html"))


class Site(unittest.TestCase):
    def test_references(self):
        parsed = {page: Page(page.read_text(encoding="utf-8")) for page in pages()}
        self.assertGreater(len(parsed), 40)
        for page, found in parsed.items():
            for reference in found.loaded + found.linked:
                parts = urllib.parse.urlsplit(reference)
                if parts.scheme == "data" or (parts.scheme in ("http", "https", "mailto") and reference in found.linked):
                    continue
                self.assertEqual((parts.scheme, parts.netloc), ("", ""), f"{page}: {reference}")
                if page.name == "404.html":  # a server's page, with addresses from its root
                    continue
                target = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
                if target.is_dir():
                    target /= "index.html"
                self.assertTrue(target.is_file(), f"{page}: {reference}")
                if parts.fragment and target in parsed and not parts.fragment.startswith("__"):
                    self.assertIn(urllib.parse.unquote(parts.fragment), parsed[target].names, f"{page}: {reference}")

    def test_styles_and_scripts(self):
        for style in SITE.rglob("*.css"):
            for reference in STYLE_URL.findall(style.read_text(encoding="utf-8")):
                if not reference.startswith(("data:", "#")):
                    self.assertTrue((style.parent / reference).is_file(), f"{style}: {reference}")


@unittest.skipUnless(browser.find(), "no Chromium")
class InABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser(browser.find())
        cls.browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0,
                         uploadThroughput=0)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def failed(self):
        """Requests that failed or left the disk, and what the page complained of."""
        complaints = [e["params"] for e in self.browser.complaints()]
        failures = [e["params"] for e in self.browser.events if e.get("method") == "Network.loadingFailed"]
        away = [url for url in self.browser.requests() if not url.startswith(("file:", "data:", "about:", "blob:"))]
        return complaints + failures + away

    def test_pages(self):
        for page in pages():
            if page.name == "404.html":
                continue
            with self.subTest(page.name):
                self.browser.open(page, scheme="dark" if "problems" in page.parts else "light")
                self.assertEqual(self.failed(), [], page)

    def test_nothing_is_wider_than_a_narrow_window(self):
        for page in pages():
            if page.name != "404.html":
                self.browser.open(page, width=NARROW, height=800)
                width = self.browser.run("document.documentElement.scrollWidth")
                self.assertLessEqual(width, NARROW, page)

    def test_search(self):
        self.browser.open(SITE / "index.html")
        self.browser.run("""new Promise((done) => {
            const box = document.querySelector("[data-md-component=search-query]");
            box.focus();
            box.value = "ellipsoid";
            for (const kind of ["keyup", "input"]) box.dispatchEvent(new Event(kind));
            let patience = 100;
            const there = () => document.querySelector(".md-search-result__item a") || --patience < 0;
            const look = () => there() ? done() : setTimeout(look, 100);
            look(); })""")
        found = self.browser.run("[...document.querySelectorAll('.md-search-result__item a')].map((a) => a.href)")
        self.assertTrue(any("ellipsoids.html" in link for link in found), found)
        self.assertEqual(self.failed(), [])

    def test_failures_are_seen(self):
        page = SITE / "broken.html"
        page.write_text('<!doctype html><img src="gone.svg"><script src="http://127.0.0.1:9/gone.js"></script>')
        try:
            self.browser.open(page)
            self.assertGreaterEqual(len(self.failed()), 2)
        finally:
            page.unlink()


if __name__ == "__main__":
    SITE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
