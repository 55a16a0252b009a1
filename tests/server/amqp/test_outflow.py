from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.errors import StoreDamaged
from penstock.server.amqp.bodies import PIECE
from penstock.server.amqp.outflow import Outflow

if TYPE_CHECKING:
    import pytest

    from penstock.server.amqp.bodies import LargeBody
    from tests.server.amqp.talk import Client, World

BODY = bytes(range(256)) * (5 * PIECE // 256)


def made(world: World, body: bytes = BODY) -> LargeBody:
    file = world.front.bodies.create()
    file.append(body)
    return world.front.bodies.made(file.finish(), len(body))


def send(client: Client, body: LargeBody, lost: Any = lambda: None) -> None:
    client.session.send_large(1, b"head", body, lost)


def payload(data: bytes) -> bytes:
    """The payload of body frames."""
    parts, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at + 3 : at + 7], "big")
        assert data[at] == 3
        parts.append(data[at + 7 : at + 7 + size])
        at += size + 8
    return b"".join(parts)


def test_bytes_and_bodies_leave_in_order(client: Client, world: World) -> None:
    def talk() -> None:
        client.session.out.append(b"before")
        send(client, made(world))
        client.session.out.append(b"behind")
        client.session.flush()
        send(client, made(world, b"x" * 10))

    world.run(talk)
    written = b"".join(client.wire.written)
    assert written.startswith(b"beforehead\x03")
    large, _, last = written.removeprefix(b"beforehead").partition(b"behindhead")
    assert payload(large) == BODY
    assert payload(last) == b"x" * 10
    assert all(len(data) <= PIECE + 100 for data in client.wire.written)


def test_frames_are_as_small_as_agreed(client: Client, world: World) -> None:
    for frame_max in (4096, 1 << 20, 0):
        client.session.frame_max = frame_max
        client.wire.written.clear()
        world.run(lambda: send(client, made(world)))
        written = b"".join(client.wire.written).removeprefix(b"head")
        assert payload(written) == BODY
        assert int.from_bytes(written[3:7], "big") == min(frame_max - 8 if frame_max else PIECE, len(BODY))


def test_a_client_that_does_not_read_stops_it(client: Client, world: World) -> None:
    def begin() -> None:
        client.session.pause_writing()
        send(client, made(world))

    world.loop.call_soon(begin)
    world.until(lambda: client.wire.written)
    assert repr(client.session._outflow) == "<Outflow 0 waiting, 0 bytes>"
    assert len(client.wire.written) == 1  # what was on its way
    world.run(client.session.resume_writing)
    assert payload(b"".join(client.wire.written).removeprefix(b"head")) == BODY


def test_a_body_that_cannot_be_read_is_left_out(client: Client, world: World) -> None:
    lost: list[int] = []
    body = made(world)
    world.store.contents.delete([body.name])

    def talk() -> None:
        send(client, body, lambda: lost.append(1))
        client.session.out.append(b"behind")
        client.session.flush()

    world.run(talk)
    assert (client.wire.written, lost) == ([b"behind"], [1])


def test_a_body_that_breaks_off_ends_the_connection(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Short:
        length = len(BODY)

        def read(self, offset: int, size: int) -> bytes:
            return b"" if offset else BODY[:size]

        def close(self) -> None: ...

    class Broken(Short):
        def read(self, offset: int, size: int) -> bytes:
            raise StoreDamaged("the disk is broken")

    for kind in (Short, Broken):
        other = world.client()
        monkeypatch.setattr(world.front.bodies, "open", lambda _name, kind=kind: kind())
        world.run(lambda other=other: send(other, made(world)))  # type: ignore[misc]
        assert other.wire.is_over


def test_nothing_is_sent_after_the_end(client: Client, world: World) -> None:
    def talk() -> None:
        send(client, made(world))
        client.session.out.append(b"behind")
        client.session.flush()

    def end() -> None:
        client.wire.written.clear()
        client.wire.close()

    world.loop.call_soon(talk)
    world.until(lambda: client.wire.written)
    world.run(end)
    assert client.wire.written == []
    assert client.session._outflow is None


def test_it_can_be_stopped_before_it_began(client: Client, world: World) -> None:
    def talk() -> None:
        outflow = Outflow(client.session)
        outflow.put(b"never")
        outflow.stop()

    world.run(talk)
    assert client.wire.written == []
