"""A RabbitMQ of a test's own: killed, stopped and started again, always on the same port and data."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING, Self

from tests.servers import rabbitmq
from tests.servers.running import HOST, Process, free_port, launch, wait_until_it_listens

if TYPE_CHECKING:
    from pathlib import Path


class OwnRabbitMQ:
    """One node; `start` begins its next life."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._program = rabbitmq.BEHIND_THE_WRAPPER if rabbitmq.BEHIND_THE_WRAPPER.exists() else program
        self._folder = folder
        self._port = free_port()
        self._environment = rabbitmq._environment(folder)
        self._log = folder / "rabbitmq.log"
        (folder / "definitions.json").write_text(rabbitmq.DEFINITIONS)
        (folder / "rabbitmq.conf").write_text(
            rabbitmq.SETTINGS.format(host=HOST, port=self._port, folder=folder, more="")
        )
        (folder / "plugins").write_text("[].")
        self._mapper = rabbitmq._start_port_mapper(folder, self._environment)
        self._node: Process | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._mapper.end()

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@{HOST}:{self._port}/"

    def start(self) -> None:
        """Return when it answers."""
        child = launch([self._program], folder=self._folder, environment=self._environment, log=self._log)
        self._node = Process.of(child, farewell=signal.SIGKILL)
        wait_until_it_listens(self._port, child=child, log=self._log)

    def control(self, *arguments: str) -> None:
        """`rabbitmqctl`, for this node."""
        program = str(self._program.with_name("rabbitmqctl"))
        subprocess.run(  # noqa: S603 (with arguments written in the tests)
            [program, *arguments], env=self._environment, cwd=self._folder, check=True, capture_output=True
        )

    def kill(self) -> None:
        """`kill -9`, and wait until it is gone."""
        if self._node is not None:
            self._node.end()

    def stop(self) -> None:
        """Ask it to stop, and wait until it has."""
        assert self._node is not None
        Process(pid=self._node.pid, started=self._node.started, farewell=signal.SIGTERM).end()
