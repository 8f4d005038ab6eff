"""A Firefox for tests, as Debian has it, steered by its own protocol (Marionette) without a driver or a package.

Where there is none, what needs it is skipped. Does not belong here: which pages are visited (`tests.api.public_pages`).
"""

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PATIENCE_SECONDS = 60.0
ENDING_SECONDS = 10.0
PROGRAMS = ("firefox-esr", "firefox")
SETTINGS = {
    "marionette.port": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
}
DARK = "layout.css.prefers-color-scheme.content-override"  # 0: dark, 1: light


@dataclass
class Firefox:
    """A running Firefox with one window."""

    connection: socket.socket
    received: bytes = b""
    count: int = field(default=0)

    def open(self, url: str) -> None:
        self.ask("WebDriver:Navigate", url=url)

    def resize(self, width: int, height: int) -> None:
        """Makes the page itself so wide and high."""
        self.ask("WebDriver:SetWindowRect", width=width, height=height)
        frame = self.run("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        self.ask("WebDriver:SetWindowRect", width=width + frame[0], height=height + frame[1])

    def darken(self, is_dark: bool) -> None:
        self.ask("Marionette:SetContext", value="chrome")
        self.run("Services.prefs.setIntPref(arguments[0], arguments[1])", DARK, 0 if is_dark else 1)
        self.ask("Marionette:SetContext", value="content")

    def run(self, script: str, *given: Any) -> Any:
        """What a script returns that runs beside the page, whatever the page's policy is."""
        return self.ask("WebDriver:ExecuteScript", script=script, args=list(given))["value"]

    def run_async(self, script: str, *given: Any) -> Any:
        """What a script hands to its last argument."""
        return self.ask("WebDriver:ExecuteAsyncScript", script=script, args=list(given))["value"]

    def click(self, selector: str) -> None:
        """As a pointer would: what is covered or not there yet is waited for."""
        self.ask("WebDriver:ElementClick", id=self._found(selector))

    def write(self, selector: str, text: str) -> None:
        self.ask("WebDriver:ElementSendKeys", id=self._found(selector), text=text)

    def text(self, selector: str) -> str:
        return self.ask("WebDriver:GetElementText", id=self._found(selector))["value"]

    def _found(self, selector: str) -> str:
        """The id of the first element, once it is there."""
        (element,) = self.ask("WebDriver:FindElement", using="css selector", value=selector)["value"].values()
        return element

    def picture(self, path: Path) -> None:
        """Of the whole page."""
        path.write_bytes(base64.b64decode(self.ask("WebDriver:TakeScreenshot", full=True)["value"]))

    def ask(self, command: str, **given: Any) -> Any:
        self.count += 1
        message = json.dumps([0, self.count, command, given]).encode()
        self.connection.sendall(b"%d:%s" % (len(message), message))
        _, number, error, answer = self.read()
        assert (number, error) == (self.count, None), (command, error)
        return answer

    def read(self) -> Any:
        """The next message: its length, a colon, JSON."""
        while b":" not in self.received:
            self._receive()
        length, _, rest = self.received.partition(b":")
        self.received = rest
        while len(self.received) < int(length):
            self._receive()
        message, self.received = self.received[: int(length)], self.received[int(length) :]
        return json.loads(message)

    def _receive(self) -> None:
        came = self.connection.recv(1 << 16)
        assert came, "Firefox has gone"
        self.received += came


@contextlib.contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """A Firefox with an empty profile in a folder; it ends with the block."""
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Firefox (Debian: apt-get install firefox-esr)")
    profile.mkdir()
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in SETTINGS.items()]
    (profile / "user.js").write_text("\n".join(lines))
    command = [
        program,
        "--headless",
        "--marionette",
        "--remote-allow-system-access",
        "--no-remote",
        "--profile",
        str(profile),
    ]
    environment = os.environ | {"HOME": str(profile), "MOZ_DISABLE_CONTENT_SANDBOX": "1"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with socket.create_connection(("127.0.0.1", _port(profile)), PATIENCE_SECONDS) as connection:
            steered = Firefox(connection)
            steered.read()  # it introduces itself
            steered.ask("WebDriver:NewSession")
            steered.ask("WebDriver:SetTimeouts", implicit=int(PATIENCE_SECONDS * 1000))
            yield steered
    finally:
        process.terminate()
        try:
            process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:  # its own ending may hang; its profile is of this test alone
            process.kill()
            process.wait()


def _port(profile: Path) -> int:
    until = time.monotonic() + PATIENCE_SECONDS
    written = profile / "MarionetteActivePort"
    while not (written.exists() and written.read_text()):
        assert time.monotonic() < until, "Firefox does not start"
        time.sleep(0.05)
    return int(written.read_text())
