"""A headless Chromium that opens one file and tells what happened: the DevTools protocol over a pipe.

Nothing to install but the browser: messages are JSON, each ended by a zero byte.
"""

import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64decode
from pathlib import Path

_START = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
# Seconds; a machine that does much else at once is slow.
_PATIENCE = 120
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "chrome"]


def browser_path():
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


class Browser:
    """One browser process; `open` gives a page."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (theirs_in, self._write), (self._read, theirs_out) = os.pipe(), os.pipe()
        # Out of the way of 3 and 4, the protocol's own numbers.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]
        flags = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            f"--user-data-dir={self.home.name}",
            "--remote-debugging-pipe",
        ]
        command = [sys.executable, "-c", _START, *map(str, ends), browser_path(), *flags, "about:blank"]
        self.process = subprocess.Popen(
            command, pass_fds=ends, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        self._buffer, self._number, self.events = b"", 0, []

    def send(self, method, session=None, **params):
        """Ask and wait for the answer; events that come before it are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        while True:
            answer = self._next(_PATIENCE)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _next(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(end - time.monotonic(), 0))
            data = os.read(self._read, 1 << 16) if ready else b""
            if not data:
                raise RuntimeError("the browser does not answer")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(line)

    def open(self, path, **looks):
        return Page(self, path, **looks)

    def close(self):
        try:
            self.send("Browser.close")
        except (RuntimeError, OSError):
            self.process.terminate()
        self.process.wait(10)
        os.close(self._write)
        os.close(self._read)
        self.home.cleanup()


class Page:
    """A report in a tab of its own, drawn to its end."""

    def __init__(self, browser, path, width=1100, height=900, dark=False, script=""):
        self.browser = browser
        browser.events.clear()
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Performance"):
            self(f"{domain}.enable")
        self(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self("Emulation.setEmulatedMedia", features=[scheme])
        if script:
            self("Page.addScriptToEvaluateOnNewDocument", source=script)
        begin = time.monotonic()
        self("Page.navigate", url=Path(path).resolve().as_uri())
        while self.run("document.documentElement?.dataset.ready") != "yes":
            if time.monotonic() - begin > _PATIENCE:
                raise RuntimeError(f"{path} is not drawn: {self.complaints()}")
            time.sleep(0.02)
        self.seconds = time.monotonic() - begin

    def __call__(self, method, **params):
        return self.browser.send(method, self.session, **params)

    def run(self, expression):
        result = self("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def cpu(self):
        """Seconds that the page's process has computed; unlike the clock, the same on a busy machine."""
        metrics = {metric["name"]: metric["value"] for metric in self("Performance.getMetrics")["metrics"]}
        return metrics["ProcessTime"]

    def complaints(self):
        """Errors, warnings, exceptions and dialogs so far."""
        kinds = {"Runtime.exceptionThrown", "Page.javascriptDialogOpening", "Log.entryAdded"}
        return [
            str(event["params"])[:400]
            for event in self.browser.events
            if event.get("method") in kinds
            or (
                event.get("method") == "Runtime.consoleAPICalled"
                and event["params"]["type"] in ("error", "warning", "assert")
            )
        ]

    def requests(self):
        """Addresses asked for, the file itself and data in it left out."""
        urls = [
            event["params"]["request"]["url"]
            for event in self.browser.events
            if event.get("method") == "Network.requestWillBeSent"
        ]
        return [url for url in urls if not url.startswith(("file:", "data:", "about:"))]

    def drag(self, start, end):
        for kind, (x, y) in [("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)]:
            self("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def screenshot(self, path, full=True):
        data = self("Page.captureScreenshot", captureBeyondViewport=full)["data"]
        Path(path).write_bytes(b64decode(data))

    def close(self):
        self.browser.send("Target.closeTarget", targetId=self.target)
