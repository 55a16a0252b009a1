"""The processes by themselves; that they work together is told in tests/federation."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.testing import CliRunner

from penstock.cli import did_process as module
from penstock.cli.app import app
from penstock.cli.did_process import BROKER, DOMAIN, PIPELINES, Order, program
from penstock.cli.supervising import READY, end_with_parent
from penstock.did.domain import WEB, WORKER
from tests.did.domain.helpers import places_in
from tests.servers.running import free_port

if TYPE_CHECKING:
    import pytest

    from tests.servers.running import Running

PATIENCE_S = 60
#: Less than connecting is tried for.
ENDS_WITHIN_S = 10


def test_an_order_holds_secrets_and_is_on_no_command_line(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    made = program(PIPELINES, Order(domains=(places.to_json(),)), name="pipelines", log=tmp_path / "log")
    assert made.arguments[-3:] == ["run", "pipelines", "pipelines"]
    assert not any("s3cret" in word for word in made.arguments)
    assert "s3cret" in made.environment[module.ORDER]
    assert "s3cret" not in repr(made)


def test_a_process_has_the_socket_that_it_serves(tmp_path: Path) -> None:
    assert program(DOMAIN, Order(bound=7), name="orb", log=tmp_path / "log").files == [7]
    assert program(BROKER, Order(), name="broker", log=tmp_path / "log").files == []


def test_places_come_back_from_an_order(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    assert Order(domains=(places.to_json(),)).places == [places]


def test_it_is_for_did_up_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for order, kind in ((None, "domain"), ("{}", "nothing")):
        monkeypatch.delenv(module.ORDER, raising=False)
        if order is not None:
            monkeypatch.setenv(module.ORDER, order)
        result = CliRunner().invoke(app, ["did", "run", kind, "orb"])
        assert result.exit_code == 2
        assert "for `penstock did up` alone" in result.output


def test_an_order_is_carried_out_and_nobody_below_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    orders: list[Any] = []
    monkeypatch.setattr(module, "KINDS", {"domain": orders.append})
    monkeypatch.setattr(module, "end_with_parent", lambda: orders.append("ends with its parent"))
    monkeypatch.setenv(module.ORDER, '{"roles": ["web"]}')
    assert CliRunner().invoke(app, ["did", "run", "domain", "orb"]).exit_code == 0
    assert orders == ["ends with its parent", Order(roles=("web",))]
    assert module.ORDER not in os.environ


def test_it_ends_with_its_standard_input() -> None:
    asked = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: asked.set())
    kept, (near, far) = os.dup(0), os.pipe()
    try:
        os.dup2(near, 0)
        end_with_parent()
        os.write(far, b"whatever")
        assert not asked.is_set()
        os.close(far)
        assert asked.wait(PATIENCE_S)
    finally:
        os.dup2(kept, 0)
        for each in (kept, near):
            os.close(each)
        signal.signal(signal.SIGTERM, before)


def test_a_domain_is_served_until_it_is_asked_to_end(
    tmp_path: Path, penstock_server: Running, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        base = f"http://127.0.0.1:{bound.getsockname()[1]}"
        places = replace(places_in(tmp_path, name, base=base), broker=penstock_server.url)
        order = Order(domains=(places.to_json(),), roles=(WEB, WORKER), bound=os.dup(bound.fileno()))

        async def story() -> None:
            serving = asyncio.create_task(module._serve(order))
            reader, writer = await asyncio.open_connection(*bound.getsockname())
            writer.write(b"GET /healthcheck HTTP/1.1\r\nHost: orb\r\nConnection: close\r\n\r\n")
            assert (await reader.read()).startswith(b"HTTP/1.1 200")
            writer.close()
            os.kill(os.getpid(), signal.SIGTERM)
            async with asyncio.timeout(PATIENCE_S):
                await serving

        asyncio.run(story())
    assert capsys.readouterr().out == f"{READY}\n"


def test_a_domain_that_waits_for_its_broker_ends_when_it_is_asked_to(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    broker = f"amqp://guest:guest@127.0.0.1:{free_port()}/"
    places = replace(places_in(tmp_path, name), broker=broker)
    order = Order(domains=(places.to_json(),), roles=(WEB, WORKER))

    async def story() -> None:
        serving = asyncio.create_task(module._serve(order))
        await asyncio.sleep(0.5)
        assert not serving.done()
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(ENDS_WITHIN_S):
            await serving

    asyncio.run(story())
    assert capsys.readouterr().out == ""


def test_a_broker_listens_where_the_order_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Any] = []
    monkeypatch.setattr("penstock.server.main.serve", served.append)
    module._run_broker(Order(data=str(tmp_path), address="127.0.0.1:5673", password="s3cret"))  # noqa: S106
    [settings] = served
    assert (settings.default_user, settings.default_password) == ("penstock", "s3cret")
    assert settings.data == tmp_path
    assert [str(address) for address in settings.amqp] == ["127.0.0.1:5673"]


def test_the_pipelines_are_run_with_what_the_order_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[Any] = []

    def run_pipelines(domains: Any, data: Path, **more: Any) -> None:
        more.pop("tell_ready")()
        ran.append((domains, data, more))

    monkeypatch.setattr("penstock.cli.did_pipelines.run_pipelines", run_pipelines)
    places = places_in(tmp_path)
    module._run_pipelines(Order(domains=(places.to_json(),), data="/data", master="local[2]"))
    assert ran == [([places], Path("/data"), {"master": "local[2]", "spool": None, "more": ()})]
    module._run_pipelines(Order(data="/data", master="local[2]", with_sample=True))
    assert [each.name for each in ran[1][2]["more"]] == ["waterworks-gauges"]
    module._run_pipelines(Order(data="/data", is_foreign=True))
    assert ran[2][2]["spool"] == Path("/data/spool")
