"""Every page of the built site in Chromium: what it complains of, what it asks for, where its links lead.

Run with `make docs docs-check`, or with ARGS="--pictures DIR" for screenshots of some pages in light,
dark and on a phone. Ends with exit code 1 on a finding. Addresses outside are not asked, only counted.
"""

from __future__ import annotations

import argparse
import http.server
import sys
import threading
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "helpers"))
from browser import started

SHOWN = ("index", "start", "auto_gallery/index", "auto_gallery/plot_csv", "api", "guides/models")
WIDTHS = {"light": (1280, "light"), "dark": (1280, "dark"), "phone": (390, "light")}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and says nothing."""

    def log_message(self, *said):
        """Nothing."""


def served(folder):
    """A server of a folder, at work in a thread, and its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/"


def looked_at(page, address, findings):
    """Open a page; returns its links and the names that links may lead to."""
    said = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: _note(request.url, address, said))
    page.on("requestfailed", lambda request: said.append(f"failed: {request.url}"))
    page.goto(address)
    findings.extend(f"{address}: {each}" for each in said)
    links = page.eval_on_selector_all("a[href]", "all => all.map(a => a.getAttribute('href'))")
    names = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1")
    return links, set(names), wide


def _note(url, address, said):
    if urlsplit(url).netloc not in ("", urlsplit(address).netloc) and not url.startswith("data:"):
        said.append(f"asks for {url}")


def broken(pages, folder, root):
    """Links within the site that lead nowhere, and how many lead outside."""
    found, outside = [], 0
    for address, (links, _) in pages.items():
        for link in links:
            whole, name = urldefrag(urljoin(address, link))
            if not whole.startswith(root):
                outside += whole.startswith("http")
                continue
            target = pages.get(whole)
            if target is None and not (folder / unquote(whole.removeprefix(root))).is_file():
                found.append(f"{address}: no page {link}")
            elif target is not None and name and unquote(name) not in target[1]:
                found.append(f"{address}: no place {link}")
    return found, outside


def pictures(browser, root, folder):
    """Screenshots of some pages, each in light, dark and on a phone."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (width, scheme) in WIDTHS.items():
        page = browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=scheme)
        for shown in SHOWN:
            page.goto(f"{root}{shown}.html")
            page.screenshot(path=folder / f"{shown.replace('/', '-')}-{name}.png")
        page.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, default=Path("docs/_build/html"))
    parser.add_argument("--pictures", type=Path)
    args = parser.parse_args()
    files = sorted(file for file in args.site.rglob("*.html") if "_static" not in file.parts)
    server, root = served(args.site)
    findings, pages = [], {}
    with started() as browser:
        for file in files:
            address = root + file.relative_to(args.site).as_posix()
            page = browser.new_page(viewport={"width": 390, "height": 800})
            links, names, wide = looked_at(page, address, findings)
            pages[address] = (links, names)
            if wide:
                findings.append(f"{address}: wider than a phone")
            page.close()
        if args.pictures:
            pictures(browser, root, args.pictures)
    server.shutdown()
    lost, outside = broken(pages, args.site, root)
    for finding in (said := [*findings, *lost]):
        print(finding.replace(root, ""))
    print(f"{len(pages)} pages, {len(said)} findings, {outside} links outside")
    return int(bool(said) or not pages)


if __name__ == "__main__":
    sys.exit(main())
