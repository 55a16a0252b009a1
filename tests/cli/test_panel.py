from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from base64 import b64encode
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from penstock.cli import panel as module
from penstock.cli.app import app

if TYPE_CHECKING:
    import pytest

    from tests.servers.managed import Managed

GUEST = f"Basic {b64encode(b'guest:guest').decode()}"


def asked(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"Authorization": GUEST})  # noqa: S310  our own
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  likewise
        body: bytes = answer.read()
        return body


def test_the_pages_are_here_and_the_answers_from_there(managed: Managed) -> None:
    command = [sys.executable, "-m", "penstock", "panel", "--listen", "127.0.0.1:0"]
    environment = os.environ | {"PENSTOCK_MANAGEMENT": managed.management, "PENSTOCK_LOG_LEVEL": "error"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as program:  # noqa: S603
        try:
            assert program.stdout is not None
            line = program.stdout.readline()
            assert line.startswith("penstock is ready: http://127.0.0.1:")
            url = line.split()[3]
            assert b"Penstock" in asked(url)
            told = json.loads(asked(f"{url}api/overview"))
            assert told["product_name"].lower() == managed.name
            assert isinstance(json.loads(asked(f"{url}api/queues/%2F")), list)
        finally:
            program.send_signal(signal.SIGTERM)
    assert program.returncode == 0


def test_mistakes_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["panel", *arguments])
        assert result.exit_code in {1, 2}
        return result.stderr

    assert "listen: " in told("--listen", "nowhere:x")
    assert "management URL" in told("--management", "amqp://h")
    monkeypatch.setattr(module, "missing", lambda _: "starlette is not installed")
    assert "starlette is not installed" in told()
