from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.amqp.bodies import PIECE
from penstock.server.beanstalk import output
from tests.server.amqp.letters import large

if TYPE_CHECKING:
    import pytest

    from tests.server.beanstalk.talk import Client, World


def test_all_replies_of_a_read_leave_in_one_write(client: Client) -> None:
    client.world.run(
        lambda: client.session.data_received(
            b"put 0 0 9 1\r\nx\r\n" * 3 + b"reserve\r\n" * 3 + b"delete 2\r\n"
        )
    )
    (written,) = client.wire.written
    assert written.count(b"\r\n") == 3 + 6 + 1


def test_a_durable_job_is_told_when_it_is_on_disk(durable: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client, other = durable.worker(), durable.worker()
    monkeypatch.setattr(durable.broker.writer, "start", lambda: None)
    assert client.say("put 0 0 60 1", "x", "list-tube-used") == ""
    # Others need not wait for it.
    assert other.say("reserve") == "RESERVED 1 1\r\nx"
    assert other.say("delete 1") == ""
    monkeypatch.undo()
    durable.run(durable.broker.turn)
    durable.until(lambda: client.wire.written and other.wire.written)
    assert client.hear() == b"INSERTED 1\r\nUSING default\r\n"
    assert other.hear() == b"DELETED\r\n"


def test_who_leaves_after_a_durable_put_hears_of_it_first(
    durable: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = durable.worker()
    monkeypatch.setattr(durable.broker.writer, "start", lambda: None)
    client.say("put 0 0 60 1", "x", "quit")
    assert not client.wire.is_over
    monkeypatch.undo()
    durable.run(durable.broker.turn)
    durable.until(lambda: client.wire.is_over)
    assert client.hear() == b"INSERTED 1\r\n"


def test_while_too_much_waits_for_the_disk_nothing_more_is_done(
    durable: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "REPLIES_MOST", 100)
    client = durable.worker()
    with monkeypatch.context() as stopped:
        stopped.setattr(durable.broker.writer, "start", lambda: None)
        for _ in range(20):
            client.say("put 0 0 60 1", "x")
        assert 5 < durable.queue().ready < 15
    durable.run(durable.broker.turn)
    durable.until(lambda: b"".join(client.wire.written).count(b"INSERTED") == 20)


# A client that does not read


def stop_reading(client: Client, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """From the next write on it takes nothing; how large each write is."""
    sizes: list[int] = []
    write = client.wire.write

    def take_nothing(data: bytes) -> None:
        write(data)
        sizes.append(len(data))
        client.session.pause_writing()

    monkeypatch.setattr(client.wire, "write", take_nothing)
    return sizes


def test_a_run_of_reserves_is_answered_as_far_as_the_client_reads(
    world: World, client: Client, other: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(100):
        client.put("x" * 60_000)
    with monkeypatch.context() as patch:
        sizes = stop_reading(other, patch)
        other.send(b"reserve\r\n" * 100)
        assert sum(sizes) < 2 * output.REPLIES_MOST
        assert world.queue().ready > 60
    world.run(other.session.resume_writing)
    assert other.hear().count(b"RESERVED") == 100 - sum(sizes) // 60_000
    assert world.queue().ready == 0


def test_who_waits_and_does_not_read_is_passed_over(
    world: World, client: Client, other: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    other.say(*["reserve"] * 10)
    with monkeypatch.context() as patch:
        sizes = stop_reading(other, patch)
        client.put("a")
        client.put("b")
    assert (len(sizes), world.queue().ready) == (1, 1)
    assert client.reserve() == 2
    other.hear()
    world.run(other.session.resume_writing)
    client.put("c")
    assert other.hear() == b"RESERVED 3 1\r\nc\r\n"


def test_the_time_of_who_waits_and_does_not_read_goes_on(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.say("reserve-with-timeout 2")
    world.run(client.session.pause_writing)
    world.worker().put()
    world.advance(2)
    assert client.hear() == b"TIMED_OUT\r\n"
    assert world.queue().ready == 1


# Large bodies, that came by AMQP

LARGE = bytes(range(256)) * 4096


def put_large(world: World, count: int = 1) -> None:
    """Jobs whose bodies are in files."""
    messages = [large(world.front.bodies, LARGE) for _ in range(count)]
    for message in messages:
        message.destination = "default"

    def publish() -> None:
        world.host.wiring.publish("", messages, world.broker.now)
        world.broker.turn()

    world.run(publish)


def heard_in_time(client: Client, size: int) -> bytes:
    world, heard = client.world, bytearray()

    def is_enough() -> bool:
        heard.extend(client.hear())
        return len(heard) >= size

    world.until(is_enough)
    return bytes(heard)


def test_a_large_body_follows_a_piece_at_a_time_and_all_else_behind_it(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_large(world)
    pieces: list[int] = []
    write = client.wire.write

    def measured(data: bytes) -> None:
        pieces.append(len(data))
        write(data)

    monkeypatch.setattr(client.wire, "write", measured)
    head = b"%b 1 1048576\r\n"
    expected = b"".join(
        (b"USING default\r\n", head % b"FOUND", LARGE, b"\r\n", head % b"RESERVED", LARGE, b"\r\nDELETED\r\n")
    )
    heard = client.send(b"list-tube-used\r\npeek-ready\r\nreserve\r\ndelete 1\r\nquit\r\n")
    assert heard + heard_in_time(client, len(expected) - len(heard)) == expected
    assert max(pieces) <= PIECE + 100
    world.until(lambda: client.wire.is_over)


def test_several_large_bodies_come_to_who_waits(world: World, client: Client) -> None:
    client.say("reserve", "reserve", "reserve", "list-tube-used")
    put_large(world, 2)
    world.worker().put("x")
    heard = heard_in_time(client, 2 * len(LARGE) + 75)
    assert heard.count(LARGE) == 2
    assert heard.endswith(b"\r\nRESERVED 3 1\r\nx\r\nUSING default\r\n")


def test_a_large_body_waits_for_a_client_that_does_not_read(world: World, client: Client) -> None:
    put_large(world)
    world.run(client.session.pause_writing)
    client.send(b"reserve\r\n")
    assert client.hear() == b""
    world.loop.call_soon(client.session.resume_writing)
    assert heard_in_time(client, len(LARGE)).count(LARGE) == 1


def test_a_large_body_leaves_behind_what_waits_for_the_disk(
    durable: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = durable.worker()
    put_large(durable)
    with monkeypatch.context() as patch:
        patch.setattr(durable.broker.writer, "start", lambda: None)
        assert client.say("put 0 9 60 1", "x", "peek-ready") == ""
    durable.run(durable.broker.turn)
    heard = heard_in_time(client, len(LARGE) + 20)
    assert heard.startswith(b"INSERTED 1\r\nFOUND 2 1048576\r\n")


def test_a_large_body_that_is_lost_ends_the_connection_and_does_not_come_back(
    world: World, client: Client, other: Client
) -> None:
    put_large(world)
    (reference,) = world.queue().peek()
    world.store.contents.delete([reference.message.large.name])  # type: ignore[attr-defined]
    client.send(b"peek-ready\r\n")
    world.until(lambda: client.wire.is_over)
    assert world.queue().ready == 1
    other.send(b"reserve\r\n")
    world.until(lambda: other.wire.is_over)
    assert (world.queue().ready, world.queue().held) == (0, 0)


def test_nothing_large_is_sent_to_who_has_gone(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_large(world)
    sizes = stop_reading(client, monkeypatch)
    world.loop.call_soon(client.session.data_received, b"reserve\r\n")
    world.until(lambda: sizes)
    client.hang_up()
    assert sum(sizes) < len(LARGE)
    assert world.queue().ready == 1
