from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.amqp.front import READ_MOST
from penstock.wire.amqp.constants import PROTOCOL_HEADER
from tests.server.amqp.talk import Client

if TYPE_CHECKING:
    from tests.server.amqp.talk import World


def read(client: Client, data: bytes) -> None:
    """What a loop does when a socket can be read from."""
    buffer = client.session.get_buffer(-1)
    assert len(buffer) == READ_MOST
    buffer[: len(data)] = data
    client.world.run(lambda: client.session.buffer_updated(len(data)))


def test_sessions_share_what_is_read_to_and_keep_what_is_theirs(world: World) -> None:
    first, second = Client(world), Client(world)
    # Each greeting comes in two reads, with the other's between them.
    read(first, PROTOCOL_HEADER[:5])
    read(second, PROTOCOL_HEADER[:3])
    read(first, PROTOCOL_HEADER[5:])
    read(second, PROTOCOL_HEADER[3:])
    for client in (first, second):
        assert b"PLAIN" in b"".join(client.wire.written)
        assert not client.wire.is_over
