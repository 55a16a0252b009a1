from __future__ import annotations

import asyncio
import resource
import signal
import ssl
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from websockets.asyncio.client import connect

from penstock.cli.gateway_process import allow_open_files, tls_context
from penstock.errors import BadSetting
from penstock.settings.address import Address
from penstock.workers.gateway import Gateway, GatewaySettings
from tests.server.certified import Authority
from tests.servers.penstock import SOURCE
from tests.workers.gateway.support import opened_broker, policy

if TYPE_CHECKING:
    from pathlib import Path


def test_a_gateway_runs_until_it_is_asked_to_stop(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"s" * 32)
    command = [sys.executable, "-m", "penstock", "gateway", "--listen", "127.0.0.1:0", "--secret", "secret"]
    environment = {"PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1", "PENSTOCK_LOG_LEVEL": "error"}
    with subprocess.Popen(  # noqa: S603  ours
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as gateway:
        try:
            assert gateway.stdout is not None
            assert gateway.stdout.readline().startswith("penstock is ready: ws://127.0.0.1:")
        finally:
            gateway.send_signal(signal.SIGTERM)
    assert gateway.returncode == 0


def test_as_many_files_may_be_open_as_the_machine_allows() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1] // 2, before[1]))
    try:
        allow_open_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == before[1]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_certificate_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "c.pem").write_text("rubbish")
    for name in ("c.pem", "missing.pem"):
        with pytest.raises(BadSetting, match="cannot be used"):
            tls_context(tmp_path / name, None)


def test_with_a_certificate_it_speaks_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    tls = tls_context(*authority.issue("gateway"))
    trusting = ssl.create_default_context(cafile=str(authority.file))

    async def story() -> None:
        settings = GatewaySettings(address=Address("127.0.0.1", 0), name="tls")
        async with opened_broker() as broker, Gateway(broker, policy(), settings, tls=tls) as gateway:
            url = f"wss://127.0.0.1:{gateway.port}/ws"
            async with connect(url, ssl=trusting, server_hostname="localhost") as socket:
                await socket.send("{}")
                assert '"status":400' in str(await socket.recv())

    asyncio.run(story())
