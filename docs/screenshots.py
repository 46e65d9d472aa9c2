"""Pictures of the report and of the review page, from a run of the demo: `make docs-screenshots`.

The machine's own Chromium takes them. They are looked at before they are stored.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "helpers"))
from browser import Tab, started

STORED = Path(__file__).parent / "_static"
COMMAND = Path(sys.executable).with_name("surelabel")


RUN = "demo/run"


def demo(folder: Path) -> None:
    """The demo, with labels of which 99% are to be right: some are left to a person."""
    for words in (["demo", "--out", "demo"], ["fill", RUN, "--right", "0.99"]):
        subprocess.run([COMMAND, *words, "--quiet"], cwd=folder, check=True)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the review page of the run, while it is served."""
    words = [COMMAND, "review", RUN, "--image", "8x8", "--name", "Ann", "--no-browser"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
        finally:
            server.terminate()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, started() as browser:
        demo(Path(folder))
        report = Tab(browser, width=900, height=1145).open_report(Path(folder) / RUN / "report.html")
        report.page.screenshot(path=STORED / "report.png")
        report.close()
        with served(Path(folder)) as address:
            review = Tab(browser, width=1000, height=700)
            review.page.goto(address)
            review.page.wait_for_selector("canvas, svg, img")
            review.page.wait_for_load_state("networkidle")
            review.page.screenshot(path=STORED / "review.png")
            review.close()


if __name__ == "__main__":
    main()
