"""A broker and its beanstalk clients in one process: real lines both ways, no socket, a clock that stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.server.beanstalk.front import BeanstalkFront
from penstock.server.beanstalk.session import BeanstalkSession
from tests.server.amqp import talk

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.wiring import Queue


class World(talk.World):
    """A broker with both fronts."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(folder, **settings)
        self.beanstalk = BeanstalkFront(self.broker, self.settings, self.access)

    def worker(self, address: str = "127.0.0.1") -> Client:
        """A client that is in."""
        return Client(self, address)

    def queue(self, name: str = "default") -> Queue:
        return self.host.wiring.queues["", name]


class Wire(talk.Wire):
    """A transport that tells where its client is."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return (self._address, 5) if name == "peername" else super().get_extra_info(name, default)


class Client:
    """One connection."""

    def __init__(self, world: World, address: str) -> None:
        self.world = world
        self.wire = Wire(address)
        self.session = BeanstalkSession(world.beanstalk)
        self.wire.session = self.session  # type: ignore[assignment]
        world.run(lambda: self.session.connection_made(self.wire))

    def send(self, data: bytes) -> bytes:
        """Send bytes; what comes back."""
        self.world.run(lambda: self.session.data_received(data))
        return self.hear()

    def say(self, *lines: str) -> str:
        """Say lines in one go; the reply, its last end left out."""
        return self.send("".join(f"{line}\r\n" for line in lines).encode()).decode().removesuffix("\r\n")

    def put(self, body: str = "job", *, pri: int = 0, delay: int = 0, ttr: int = 60) -> int:
        """A job; its id."""
        return int(self.say(f"put {pri} {delay} {ttr} {len(body)}", body).removeprefix("INSERTED "))

    def reserve(self) -> int | None:
        """The next job, if there is one; its id."""
        words = self.say("reserve-with-timeout 0").split()
        return int(words[1]) if words[0] == "RESERVED" else None

    def stats(self, what: str) -> dict[str, str]:
        """A dictionary."""
        head, _, text = self.say(what).partition("\r\n")
        assert head.startswith("OK "), head
        rows = (line.partition(": ") for line in text.splitlines()[1:])
        return {name: value.strip('"') for name, _, value in rows if name}

    def hear(self) -> bytes:
        """What was written since."""
        data, self.wire.written[:] = b"".join(self.wire.written), []
        return data

    def hang_up(self) -> None:
        self.world.run(self.wire.close)
