"""TLS, and clients that say who they are with a certificate: the mechanism EXTERNAL.

The certificates are made when the first test needs a broker with TLS. Both brokers ask for one and do
without (RabbitMQ's fail_if_no_peer_cert = false), and take the common name for the user's; RabbitMQ does so
with its plugin rabbitmq_auth_mechanism_ssl, which Debian's package brings.
"""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import aio_pika
import pika
import pytest
from pika.credentials import ExternalCredentials
from pika.exceptions import (
    AMQPConnectionError,
    ChannelClosedByBroker,
    IncompatibleProtocolError,
    ProbableAuthenticationError,
)

from tests.server.certified import Authority
from tests.servers import penstock, rabbitmq
from tests.servers.running import (
    HOST,
    UP_WITHIN_S,
    Running,
    _accepts,
    _comes_true,
    free_port,
    shared,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE_S = 60

#: RabbitMQ's settings for what Penstock's arguments say below.
RABBITMQ = """
listeners.ssl.1 = {host}:{port}
ssl_options.cacertfile = {folder}/authority.pem
ssl_options.certfile = {folder}/broker.pem
ssl_options.keyfile = {folder}/broker.key
ssl_options.verify = verify_peer
ssl_options.fail_if_no_peer_cert = false
ssl_cert_login_from = common_name
auth_mechanisms.1 = PLAIN
auth_mechanisms.2 = AMQPLAIN
auth_mechanisms.3 = EXTERNAL
"""


def certify(folder: Path) -> Path:
    """All certificates of this conversation: an authority and what it signed, and what a stranger signed."""
    made = folder / "certificates"
    made.mkdir()
    authority = Authority(made)
    for name in ("broker", "guest", "limited", "nobody"):
        authority.issue(name)
    (made / "strange").mkdir()
    Authority(made / "strange").issue("guest")
    return made


def start_rabbitmq(program: Path, folder: Path) -> Running:
    port = free_port()
    settings = RABBITMQ.format(host=HOST, port=port, folder=certify(folder))
    plugins = ["rabbitmq_auth_mechanism_ssl"]
    return _listening(rabbitmq.start(program, folder, settings=settings, plugins=plugins), port)


def start_penstock(folder: Path) -> Running:
    port = free_port()
    made = certify(folder)
    arguments = {
        "--amqps": f"{HOST}:{port}",
        "--amqps-certificate": str(made / "broker.pem"),
        "--amqps-key": str(made / "broker.key"),
        "--amqps-client-ca": str(made / "authority.pem"),
        "--amqps-login-from": "common_name",
    }
    return _listening(penstock.start(folder, *(word for pair in arguments.items() for word in pair)), port)


def _listening(started: Running, port: int) -> Running:
    """The broker by its port for TLS, which opens a moment after the other."""
    assert _comes_true(lambda: _accepts(port), within_s=UP_WITHIN_S), f"{started} does not speak TLS"
    return replace(started, port=port)


@pytest.fixture
def secure(broker: Running, run_folder: Path, real_program: Callable[[str], Path]) -> Running:
    """A broker of the same kind that speaks TLS; its port is that of TLS."""
    if broker.name == "penstock":
        return shared("penstock-tls", notes=run_folder, start=start_penstock)
    program = real_program("rabbitmq")
    return shared("rabbitmq-tls", notes=run_folder, start=lambda folder: start_rabbitmq(program, folder))


@pytest.fixture
def certificates(secure: Running, run_folder: Path) -> Path:
    """The folder of the certificates."""
    return run_folder / f"server-{secure.name}-tls" / "certificates"


def connect(secure: Running, certificates: Path, shown: str | None, **settings: Any) -> Any:
    """A connection by pika, which shows the certificate of that name, if any."""
    context = ssl.create_default_context(cafile=certificates / "authority.pem")
    if shown is not None:
        context.load_cert_chain(certificates / f"{shown}.pem", certificates / f"{shown}.key")
    defaults: dict[str, Any] = {
        "host": secure.host,
        "port": secure.port,
        "ssl_options": pika.SSLOptions(context, "localhost"),
        "credentials": ExternalCredentials(),
        "blocked_connection_timeout": PATIENCE_S,
    }
    return pika.BlockingConnection(pika.ConnectionParameters(**defaults | settings))


def test_a_certificate_says_who_comes(secure: Running, certificates: Path, name: str) -> None:
    connection = connect(secure, certificates, "limited")
    channel = connection.channel()
    channel.queue_declare(f"mine.{name}", exclusive=True)
    with pytest.raises(ChannelClosedByBroker, match=r"ACCESS_REFUSED.* refused for user 'limited'"):
        channel.queue_declare(name, exclusive=True)
    connection.close()


def test_messages_larger_than_a_record_of_tls_pass(secure: Running, certificates: Path, name: str) -> None:
    connection = connect(secure, certificates, "guest")
    channel = connection.channel()
    channel.confirm_delivery()
    channel.queue_declare(name, exclusive=True)
    bodies = [bytes([number]) * size for number, size in enumerate((0, 1, 100_000, 1_000_000))]
    for body in bodies:
        channel.basic_publish("", name, body)
    assert [channel.basic_get(name, auto_ack=True)[2] for _ in bodies] == bodies
    connection.close()


@pytest.mark.parametrize("shown", [None, "nobody"])
def test_without_one_that_names_a_user_nobody_comes(
    secure: Running, certificates: Path, shown: str | None
) -> None:
    with pytest.raises(ProbableAuthenticationError, match="mechanism EXTERNAL"):
        connect(secure, certificates, shown)


def test_a_password_still_does(secure: Running, certificates: Path) -> None:
    for shown in (None, "limited"):
        connection = connect(secure, certificates, shown, credentials=pika.PlainCredentials("guest", "guest"))
        assert connection.channel().is_open
        connection.close()


def test_what_a_stranger_signed_is_worth_nothing(secure: Running, certificates: Path) -> None:
    # In TLS 1.3 the client hears of it only after the handshake, as the answer to its first words.
    with pytest.raises((AMQPConnectionError, IncompatibleProtocolError)):
        connect(secure, certificates, "strange/guest")


def test_without_tls_nobody_shows_a_certificate(broker: Running) -> None:
    with pytest.raises(AMQPConnectionError) as refused:
        pika.BlockingConnection(
            pika.ConnectionParameters(host=broker.host, port=broker.port, credentials=ExternalCredentials())
        )
    assert isinstance(refused.value, pika.exceptions.AuthenticationError)


def test_aio_pika_shows_its_certificate(secure: Running, certificates: Path, name: str) -> None:
    files = {"cafile": "authority.pem", "certfile": "guest.pem", "keyfile": "guest.key"}
    query = "&".join(f"{key}={certificates / file}" for key, file in files.items())
    url = f"amqps://localhost:{secure.port}/?auth=external&{query}"

    async def story() -> bytes:
        async with asyncio.timeout(PATIENCE_S), await aio_pika.connect(url) as connection:
            channel = await connection.channel()
            queue = await channel.declare_queue(name, exclusive=True)
            await channel.default_exchange.publish(aio_pika.Message(b"safe"), name)
            message = await queue.get()
            await message.ack()
            return message.body

    assert asyncio.run(story()) == b"safe"
