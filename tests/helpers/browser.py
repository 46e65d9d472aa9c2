"""A file opened in the machine's own Chromium, with all that it complains of and asks for."""

import shutil
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

# Milliseconds; a machine that does much else at once is slow.
_PATIENCE = 120_000


def browser_path():
    names = ["chromium", "chromium-browser", "google-chrome", "chrome"]
    return next((found for name in names if (found := shutil.which(name))), None)


@contextmanager
def started():
    """The browser itself; playwright's own is never downloaded."""
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=browser_path(), args=flags)
        yield browser
        browser.close()


class Tab:
    """A page of its own; `complaints` and `requests` grow while it is open."""

    def __init__(self, browser, width=1100, height=900, dark=False, script=""):
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            is_mobile=width < 600,
            color_scheme="dark" if dark else "light",
        )
        self.context.set_default_timeout(_PATIENCE)
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._refuse)
        # Of the context, so that frames and windows that the page opens count too.
        self.context.on("request", lambda request: self._note(request.url))
        self._measures = self.context.new_cdp_session(self.page)
        self._measures.send("Performance.enable")
        if script:
            self.page.add_init_script(script)

    def _refuse(self, dialog):
        self.complaints.append(f"{dialog.type}: {dialog.message}")
        dialog.dismiss()

    def _note(self, url):
        if not url.startswith(("file:", "data:", "about:")):
            self.requests.append(url)

    def open(self, path):
        self.page.goto(Path(path).resolve().as_uri())
        return self

    def open_report(self, path):
        """A report, drawn to its end."""
        self.open(path).page.wait_for_selector("html[data-ready=yes]", state="attached")
        return self

    def run(self, expression):
        return self.page.evaluate(expression)

    def cpu(self):
        """Seconds that the page's process has computed; unlike the clock, the same on a busy machine."""
        metrics = self._measures.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "ProcessTime")

    def drag(self, start, end):
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end)
        self.page.mouse.up()

    def close(self):
        self.context.close()
