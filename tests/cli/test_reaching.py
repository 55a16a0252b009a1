from __future__ import annotations

import asyncio
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from penstock.cli.application import load_application
from penstock.cli.reaching import broker_url, first_of, maybe_broker_url, reached
from penstock.errors import BadSetting, ClientError, LoginRefused, NotConnected
from tests.servers.running import free_port

if TYPE_CHECKING:
    from tests.cli.conftest import Commons
    from tests.servers.running import Running


def test_the_nearest_word_about_the_broker_counts(commons: Commons, monkeypatch: pytest.MonkeyPatch) -> None:
    commons.write(lambda text: text.replace(f'"{commons.name}")', f'"{commons.name}", mq_url="amqp://app")'))
    application = load_application(commons.target)
    monkeypatch.setenv("MQ_URL", "amqp://environment")
    assert maybe_broker_url("amqp://given", application) == "amqp://given"
    assert maybe_broker_url(None, application) == "amqp://app"
    assert maybe_broker_url(None) == "amqp://environment"


def test_nobody_has_said_where_the_broker_is(commons: Commons) -> None:
    assert maybe_broker_url(None, load_application(commons.target)) is None
    with pytest.raises(BadSetting, match=r"which broker\? Name it with --url"):
        broker_url(None)


def test_the_first_of_a_cluster() -> None:
    assert first_of("amqp://one:1 , amqp://two").host == "one"
    with pytest.raises(BadSetting, match="begins with amqp://"):
        first_of("http://one")


def talk(url: str) -> str:
    async def run() -> str:
        async with reached(url) as client:
            return client.server.product

    return asyncio.run(run())


def test_a_broker_is_reached(running: Running) -> None:
    assert talk(running.url).lower() == running.name
    assert talk(f"amqp://127.0.0.1:{free_port()}, {running.url}").lower() == running.name


def test_a_wrong_password_is_told_with_what_to_look_at(running: Running) -> None:
    with pytest.raises(LoginRefused, match=r"does not let 'guest' in: .*; look at the user, the password"):
        talk(running.url.replace("guest:guest", "guest:wrong"))


def test_a_virtual_host_that_is_not_there(running: Running) -> None:
    with pytest.raises(ClientError, match="nowhere"):
        talk(f"{running.url}nowhere")


def test_nobody_answers() -> None:
    with pytest.raises(NotConnected, match=r"cannot be reached: .*; is a broker running there"):
        talk(f"amqp://127.0.0.1:{free_port()}")


def says(text: bytes) -> int:
    """The port of a server that says this to the first who comes, and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as peer:
            peer.recv(8)
            peer.sendall(text)

    threading.Thread(target=serve, daemon=True).start()
    port: int = listener.getsockname()[1]
    return port


@pytest.mark.parametrize("text", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"AMQP\x00\x01\x00\x00"])
def test_something_else_answers(text: bytes) -> None:
    with pytest.raises(ClientError, match="is that its AMQP port"):
        talk(f"amqp://127.0.0.1:{says(text)}")


def test_nothing_is_logged_beside_what_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NotConnected):
        talk(f"amqp://127.0.0.1:{free_port()}")
    assert capfd.readouterr().err == ""
