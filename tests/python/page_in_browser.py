"""A page of `pitot report` in headless Chromium: what only a browser can tell.

    pitot report tests/data/report/page/* -o page.html
    python3 tests/python/page_in_browser.py page.html --out shots

Fails on messages of the console, on requests of the network, on script that came with the data, on
charts that were not drawn, and where tables cannot be sorted by the keyboard alone. Writes
OUT/light.png, dark.png, narrow.png and without-script.png. Exit codes: 0 fine (or no Chromium: says
so), 1 a finding.
"""

import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


class Browser:
    """Chromium over its debugging pipe: JSON with a zero byte at the end, both ways."""

    def __init__(self, program: str, profile: str):
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()

        def pipes() -> None:  # Chromium wants them as 3 and 4
            read, write = os.dup(to_read), os.dup(to_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        arguments = ["--headless=new", "--remote-debugging-pipe", f"--user-data-dir={profile}", "--no-first-run",
                     "--disable-gpu", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
                     "--force-color-profile=srgb", "--disable-dev-shm-usage"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        self.process = subprocess.Popen([program, *arguments], preexec_fn=pipes, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest, self.last, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def message(self) -> dict:
        while b"\0" not in self.rest:
            piece = os.read(self.of, 1 << 20)
            if not piece:
                raise RuntimeError("Chromium ended")
            self.rest += piece
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method: str, **parameters) -> dict:
        self.last += 1
        request = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.last:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']['message']}")
                return got["result"]
            if "method" in got:
                self.events.append(got)

    def wait_for(self, method: str) -> None:
        while not any(e["method"] == method for e in self.events):
            self.events.append(self.message())

    def value(self, expression: str):
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"]["exception"].get("description", "an exception"))
        return got["result"].get("value")

    def open(self, url: str) -> list:
        """The events until it has loaded and drawn."""
        self.events = []
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")
        return self.events

    def press(self, key: str, code: int, text: str = "") -> None:
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def look(self, scheme: str, width: int, most: int) -> None:
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        height = min(most, int(self.value("document.documentElement.scrollHeight")))
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        time.sleep(0.5)
        self.value("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")

    def shoot(self, path: pathlib.Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self) -> None:
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(timeout=20)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def complaints(events: list, page: str) -> list:
    out = []
    for e in events:
        p = e.get("params", {})
        if e["method"] == "Runtime.exceptionThrown":
            out.append("exception: " + p["exceptionDetails"].get("exception", {}).get("description", "?"))
        elif e["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            out.append("console: " + " ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif e["method"] == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            out.append("log: " + p["entry"]["text"])
        elif e["method"] == "Network.requestWillBeSent":
            url = p["request"]["url"]
            if url.split("#")[0] != page and not url.startswith("data:"):
                out.append("request: " + url[:200])
    return out


FOCUS = """(() => { const a = document.activeElement, h = a && a.closest("th");
  return h && a.tagName === "BUTTON" ? [...h.parentElement.cells].indexOf(h) : -1; })()"""
# Of the table with the focus: how it says it is sorted, and the column's keys in order.
SORTED = """(() => { const h = document.activeElement.closest("th"), n = h.classList.contains("n");
  const rows = [...h.closest("table").tBodies[0].rows], i = h.cellIndex;
  return [h.getAttribute("aria-sort"), n, rows.map(r => n ? (r.cells[i].dataset.k ?? null) : r.cells[i].textContent)];
})()"""


def in_order(numbers: bool, keys: list, down: bool) -> bool:
    if not numbers:
        return True  # the browser's collation is its own business
    known = [float(k) for k in keys if k is not None]
    return known == sorted(known, reverse=down) and all(k is None for k in keys[len(known):])


def sort_by_keyboard(browser: Browser) -> list:
    out, seen, numbers_seen = [], 0, 0
    browser.value("document.activeElement.blur()")
    for _ in range(400):
        browser.press("Tab", 9)
        if browser.value(FOCUS) < 0:
            continue
        seen += 1
        before = browser.value(SORTED)
        states = []
        for step in range(3):
            if step == 1:
                browser.press(" ", 32, " ")
            else:
                browser.press("Enter", 13, "\r")
            state, numbers, keys = browser.value(SORTED)
            states.append(state)
            if step < 2 and not in_order(numbers, keys, state == "descending"):
                out.append(f"column {seen}: not {state}: {keys[:8]}")
            if step == 2 and keys != before[2]:
                out.append(f"column {seen}: its first order does not come back")
        numbers_seen += before[1]
        if states != ["ascending", "descending", "none"]:
            out.append(f"column {seen}: aria-sort says {states}")
        if seen >= 12:
            break
    if seen == 0 or numbers_seen == 0:
        out.append("no head of a table was reached by Tab")
    return out


def switch_theme(browser: Browser) -> list:
    colours = []
    for _ in range(4):
        browser.value("document.querySelector('#tools button').focus()")
        browser.press("Enter", 13, "\r")
        colours.append(browser.value("getComputedStyle(document.body).backgroundColor"))
    return [] if len(set(colours)) == 2 else [f"the switch of the theme gives {colours}"]


DRAWN = """[...document.querySelectorAll("figure[data-chart]")].filter(f => { const c = f.querySelector("canvas");
  if (!c || !c.width) return true;
  const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
  return !d.some(v => v !== 0); }).map(f => f.textContent)"""


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("page", type=pathlib.Path)
    arguments.add_argument("--out", type=pathlib.Path, help="folder for the screenshots")
    arguments.add_argument("--width", type=int, default=1440)
    arguments.add_argument("--most", type=int, default=5000, help="height of a screenshot")
    options = arguments.parse_args()
    program = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
    if program is None:
        print("SKIPPED page_in_browser: no chromium here")
        return 0
    page = options.page.resolve().as_uri()
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    found = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            found += complaints(browser.open(page), page)
            for scheme, width in (("light", options.width), ("dark", options.width), ("narrow", 420)):
                browser.look("dark" if scheme == "dark" else "light", width, options.most)
                if options.out:
                    browser.shoot(options.out / f"{scheme}.png")
                wide = browser.value("document.documentElement.scrollWidth")
                if wide > width:
                    found.append(f"{scheme}: {wide} pixels wide, where the window has {width}")
                if scheme != "narrow":
                    browser.value("document.querySelectorAll('details').forEach(d => d.open = false)")
            browser.look("light", options.width, 900)
            browser.value("dispatchEvent(new Event('beforeprint'))")  # draws what nobody has scrolled to
            found += ["not drawn: " + title for title in browser.value(DRAWN)]
            found += sort_by_keyboard(browser)
            found += switch_theme(browser)
            if browser.value("typeof pwned") != "undefined":
                found.append("script from the data ran")
            found += complaints(browser.events, page)
            rows = browser.value("document.querySelectorAll('tbody tr').length")
            figures = browser.value("document.querySelectorAll('figure').length")
            browser.call("Emulation.setScriptExecutionDisabled", value=True)
            browser.open(page)
            browser.look("light", options.width, options.most)
            if options.out:
                browser.shoot(options.out / "without-script.png")
            if browser.value("document.querySelectorAll('tbody tr').length") != rows:
                found.append("without script rows are missing")
            if browser.value("[...document.querySelectorAll('figure')].some(f => f.offsetHeight > 0)"):
                found.append("without script there are empty charts")
            print(f"{options.page}: {rows} rows, {figures} charts, {len(found)} findings")
        finally:
            browser.close()
    for line in found:
        print("  " + line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
