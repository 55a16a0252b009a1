from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import StoreFull
from penstock.server.amqp.bodies import PIECE
from penstock.server.amqp.streaming import UNWRITTEN_MOST
from penstock.wire.amqp import BasicProperties, method_frame
from penstock.wire.amqp.content import body_frames, header_frame
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicGet,
    BasicGetOk,
    BasicNack,
    BasicPublish,
    ChannelClose,
    ConfirmSelect,
    QueueDeclare,
    QueueDeclareOk,
    TxSelect,
)
from penstock.wire.amqp.methods.transaction import TxCommit

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client, World

SIZE = 3 * PIECE + 5
BODY = bytes(range(256)) * (SIZE // 256 + 1)
BODY = BODY[:SIZE]


def frames(body: bytes = BODY, *, key: str = "q", channel: int = 1) -> bytes:
    """A publish with all of a body."""
    return beginning(len(body), key=key, channel=channel) + body_frames(channel, body, 131_072)


def beginning(size: int = SIZE, *, key: str = "q", channel: int = 1) -> bytes:
    """A publish without its body frames."""
    method = method_frame(channel, BasicPublish("", key))
    return method + header_frame(channel, BasicProperties.of(delivery_mode=1), size)


def contents(world: World) -> int:
    return len(world.store.contents._kept)  # type: ignore[attr-defined]


def idle(client: Client) -> bool:
    return not client.session.intake.streaming and not client.session.is_sending


def told(world: World, client: Client, data: bytes, count: int = 1) -> list[Any]:
    """Send bytes, and wait until so much was heard."""
    return client.hear_in_time(client.send_bytes(data), count)


def test_a_large_body_goes_to_a_file_and_comes_back(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    client.send_bytes(frames())
    world.until(lambda: idle(client))
    assert contents(world) == 1
    (got,) = told(world, client, method_frame(1, BasicGet("q", no_ack=True)))
    assert (type(got.method), got.body) == (BasicGetOk, BODY)
    world.until(lambda: contents(world) == 0)


def test_what_follows_waits_for_its_turn(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"), ConfirmSelect())
    small = frames(b"small")
    heard = told(world, client, frames() + small + method_frame(1, QueueDeclare("q", passive=True)), 2)
    # Both are in the queue when it is looked at, and one confirm tells of both.
    assert [each.method for each in heard] == [QueueDeclareOk("q", 2, 0), BasicAck(2, multiple=True)]


def test_a_client_faster_than_the_disk_is_not_read_from(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.say(QueueDeclare("q"))
    go_on, create = threading.Event(), world.front.bodies.create
    monkeypatch.setattr(world.front.bodies, "create", lambda: go_on.wait(30) and create())
    client.send_bytes(beginning())
    client.send_bytes(body_frames(1, BODY[:PIECE], 131_072))
    # One piece is being written, the next may come.
    assert client.wire.reads
    client.send_bytes(body_frames(1, BODY[PIECE : 2 * PIECE], 131_072))
    assert not client.wire.reads
    go_on.set()
    world.until(lambda: client.wire.reads)
    client.send_bytes(body_frames(1, BODY[2 * PIECE :], 131_072))
    world.until(lambda: idle(client))
    assert world.host.wiring.queue("q").ready == 1


def test_many_bodies_at_once_gather_no_more_than_one(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client has thousands of channels, and may begin a body on each."""
    numbers = range(1, 41)
    for number in numbers[1:]:
        client.open(number)
    go_on, create = threading.Event(), world.front.bodies.create
    monkeypatch.setattr(world.front.bodies, "create", lambda: go_on.wait(30) and create())
    size, begun = PIECE // 8, 0
    for number in numbers:
        if not client.wire.reads:
            break
        client.send_bytes(beginning(channel=number) + body_frames(number, BODY[:size], 131_072))
        begun += size
    # Long before all have sent something, the client has to wait for the disk.
    assert begun <= UNWRITTEN_MOST + 2 * PIECE
    streaming = client.session.intake.streaming
    assert streaming is not None
    go_on.set()
    world.until(lambda: client.wire.reads and not streaming.unwritten)


def test_what_gathered_while_the_disk_was_busy_is_written_without_more(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, run = threading.Event(), world.front.bodies.run
    sizes: list[int] = []

    def slowly(work: Any, pieces: list[bytes], *more: Any) -> Any:
        sizes.append(sum(map(len, pieces)))
        return run(lambda: (go_on.wait(30), work(pieces, *more))[1])

    monkeypatch.setattr(world.front.bodies, "run", slowly)
    client.send_bytes(beginning() + body_frames(1, BODY[:PIECE], 131_072))
    client.send_bytes(body_frames(1, BODY[PIECE : 2 * PIECE], 131_072))
    assert (client.wire.reads, sizes) == (False, [PIECE])
    go_on.set()
    world.until(lambda: client.wire.reads)
    assert sizes == [PIECE, PIECE]
    monkeypatch.undo()


@pytest.mark.parametrize("at_end", [False, True], ids=["in the middle", "at the end"])
def test_a_body_is_abandoned_with_its_connection(client: Client, world: World, *, at_end: bool) -> None:
    client.say(QueueDeclare("q"))
    client.send_bytes(frames() if at_end else beginning() + body_frames(1, BODY[: 2 * PIECE], 131_072))
    world.run(client.wire.close)
    world.until(lambda: idle(client))
    world.until(lambda: contents(world) == 0)


def test_a_body_is_abandoned_with_its_channel(client: Client, world: World) -> None:
    client.send_bytes(beginning() + body_frames(1, BODY[:PIECE], 131_072))
    world.until(lambda: not client.session.channels[1].session.is_held)
    world.run(lambda: client.session.intake.drop(1))
    client.open(2)
    client.say(ChannelClose(200, "", 0, 0), channel=2)
    world.until(lambda: idle(client) and contents(world) == 0)


def test_a_body_that_never_got_to_the_disk_is_abandoned_too(client: Client, world: World) -> None:
    client.send_bytes(beginning() + body_frames(1, BODY[:100], 131_072))
    world.run(client.wire.close)
    assert idle(client)


def test_in_a_transaction_it_waits_for_the_commit(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"), TxSelect())
    client.send_bytes(frames())
    world.until(lambda: idle(client))
    assert world.host.wiring.queue("q").ready == 0
    client.say(TxCommit())
    assert world.host.wiring.queue("q").ready == 1


def test_one_that_may_not_be_published_closes_the_channel(client: Client, world: World) -> None:
    method = method_frame(1, BasicPublish("nonesuch", "q"))
    (close,) = told(world, client, method + frames()[len(method_frame(1, BasicPublish("", "q"))) :])
    assert close.method.reply_code == 404
    world.until(lambda: contents(world) == 0)


# A disk that is full


@pytest.fixture
def full(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    create = world.front.bodies.create

    def failing() -> Any:
        file = create()

        class Full:
            def append(self, piece: bytes) -> None:
                raise StoreFull("no room")

            def abandon(self) -> None:
                file.abandon()

        return Full()

    monkeypatch.setattr(world.front.bodies, "create", failing)


@pytest.mark.usefixtures("full")
def test_with_confirms_it_is_refused(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"), ConfirmSelect())
    (refused,) = told(world, client, frames())
    assert refused.method == BasicNack(1, requeue=False)
    assert client.session.is_open


@pytest.mark.usefixtures("full")
def test_the_rest_of_what_is_refused_is_not_kept(client: Client, world: World) -> None:
    client.say(ConfirmSelect())
    client.send_bytes(beginning() + body_frames(1, BODY[:PIECE], 131_072))
    world.until(lambda: client.session.intake.streaming and upload(client)._error)
    (refused,) = told(world, client, body_frames(1, BODY[PIECE:], 131_072))
    assert refused.method == BasicNack(1, requeue=False)


def upload(client: Client) -> Any:
    (each,) = client.session.intake.streaming._growing.values()  # type: ignore[union-attr]
    return each


@pytest.mark.usefixtures("full")
def test_without_confirms_the_connection_ends(client: Client, world: World) -> None:
    (close,) = told(world, client, frames())
    assert (close.method.reply_code, close.method.reply_text) == (
        506,
        "RESOURCE_ERROR - the message cannot be stored",
    )


def test_an_error_of_our_own_is_no_success(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(world.front.bodies, "create", broken)
    client.say(ConfirmSelect())
    (refused,) = told(world, client, frames())
    assert refused.method == BasicNack(1, requeue=False)
