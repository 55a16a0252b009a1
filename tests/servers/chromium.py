"""A headless Chromium, driven over its DevTools protocol: one for many tests, a tab for each.

Nothing but loopback is reached. A tab notes what went wrong in it: uncaught errors, refusals of the content
security policy, lines on the console; a test that expects none says so.
"""

from __future__ import annotations

import base64
import http.client
import itertools
import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from websockets.sync.client import connect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from websockets.sync.client import ClientConnection

#: Seconds within which anything that a test waits for has happened, on a busy machine, too.
SOON = 40.0
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--remote-debugging-port=0",
    "--window-size=1360,900",
    "--hide-scrollbars",
)
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9}


class Tab:
    """One tab."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self.troubles: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser for something; what it tells meanwhile is noted."""
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            told: dict[str, Any] = json.loads(self._socket.recv(SOON))
            if told.get("id") == number:
                assert "error" not in told, told
                result: dict[str, Any] = told["result"]
                return result
            self._note(told)

    def _note(self, told: dict[str, Any]) -> None:
        match told.get("method"):
            case "Runtime.exceptionThrown":
                details = told["params"]["exceptionDetails"]
                self.troubles.append(str(details.get("exception", details).get("description", details)))
            case "Log.entryAdded":
                entry = told["params"]["entry"]
                # A refusal by the API is told to the person by the page; the browser's own line is a copy.
                if entry["level"] == "error" and entry["source"] != "network":
                    self.troubles.append(entry["text"])

    def run(self, script: str) -> Any:
        """The value of an expression; a promise is waited for."""
        told = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def go(self, url: str) -> None:
        """Open an address, and wait for it."""
        self.call("Page.navigate", url=url)
        self.wait(f"location.href.startsWith({json.dumps(url)}) && document.readyState === 'complete'")

    def wait(self, condition: str) -> Any:
        """Wait until an expression is true."""
        deadline = time.monotonic() + SOON
        while True:
            with suppress(AssertionError):  # a page that is just being left has no context
                if found := self.run(condition):
                    return found
            if time.monotonic() > deadline:
                text = self.run("document.body.innerText")
                raise AssertionError(f"never true: {condition}\n{self.troubles}\n{text}")
            time.sleep(0.03)

    def see(self, text: str, within: str = "body") -> None:
        """Wait until a text is to be read."""
        # What is drawn has no innerText.
        place = f"document.querySelector({json.dumps(within)})"
        self.wait(f"({place}?.innerText ?? {place}?.textContent)?.includes({json.dumps(text)})")

    def click(self, text: str, within: str = "body") -> None:
        """Press the button or link that says this."""
        place = f"document.querySelector({json.dumps(within)})"
        self.wait(
            f"[...({place}?.querySelectorAll('a, button, summary') ?? [])]"
            f".filter((each) => each.innerText.trim() === {json.dumps(text)} && !each.disabled)"
            ".slice(0, 1).map((each) => each.click()).length === 1"
        )

    def fill(self, name: str, value: str, within: str = "body") -> None:
        """Write into the last field of that name."""
        place = json.dumps(f"{within} [name={json.dumps(name)}]")
        self.wait(f"document.querySelector({place}) !== null")
        self.run(
            f"{{ const field = [...document.querySelectorAll({place})].at(-1);"
            f" field.value = {json.dumps(value)};"
            " field.dispatchEvent(new Event('input', {bubbles: true}));"
            " field.dispatchEvent(new Event('change', {bubbles: true})); }"
        )

    def press(self, key: str) -> None:
        """Press a key, as a person would."""
        event = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, 0)}
        if len(key) == 1:
            event["text"] = key
        elif key == "Enter":
            event["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def shoot(self, file: Path) -> None:
        """Write down what is seen, as a PNG."""
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


class Browser:
    """A running Chromium."""

    def __init__(self, port: int) -> None:
        self._port = port

    @contextmanager
    def tab(self) -> Iterator[Tab]:
        """A new tab. It shares cookies and storage with the others."""
        target = json.loads(_ask(self._port, "/json/new?about:blank", "PUT"))["id"]
        try:
            where = f"ws://127.0.0.1:{self._port}/devtools/page/{target}"
            with connect(where, max_size=None, ping_interval=None, close_timeout=1) as socket:
                yield Tab(socket)
        finally:
            _ask(self._port, f"/json/close/{target}")


@contextmanager
def running(program: Path, folder: Path) -> Iterator[Browser]:
    """Start a browser whose profile is in the folder, and end it."""
    profile = folder / "profile"
    with (folder / "chromium.log").open("wb") as log:
        child = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield Browser(_port_in(profile / "DevToolsActivePort"))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _port_in(file: Path) -> int:
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline:
        with suppress(FileNotFoundError, IndexError, ValueError):
            return int(file.read_text().splitlines()[0])
        time.sleep(0.03)
    raise AssertionError("Chromium does not say where it listens; see chromium.log")


def _ask(port: int, path: str, verb: str = "GET") -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SOON)
    try:
        connection.request(verb, path)
        return connection.getresponse().read()
    finally:
        connection.close()
