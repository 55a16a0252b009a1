"""Brokers that answer over HTTP, too: Penstock with its panel, RabbitMQ with its management plugin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.servers import penstock, rabbitmq
from tests.servers.running import HOST, Running, free_port, shared, wait_until_also

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Managed:
    """A broker, and where its management API is."""

    running: Running
    management: str

    @property
    def name(self) -> str:
        return self.running.name


def managed_penstock(notes: Path) -> Managed:
    """A Penstock broker with its panel, one for the whole run."""

    def start(folder: Path, port: int) -> Running:
        return penstock.start(folder, "--panel", f"{HOST}:{port}")

    return _managed("penstock-managed", notes, start)


def managed_rabbitmq(program: Path, notes: Path) -> Managed:
    """RabbitMQ with its management plugin, one for the whole run."""

    def start(folder: Path, port: int) -> Running:
        settings = f"management.tcp.ip = {HOST}\nmanagement.tcp.port = {port}"
        return rabbitmq.start(program, folder, settings=settings, plugins=("rabbitmq_management",))

    return _managed("rabbitmq-managed", notes, start)


def _managed(name: str, notes: Path, start: Callable[[Path, int], Running]) -> Managed:
    note = notes / f"{name}-port"

    def begin(folder: Path) -> Running:
        port = free_port()
        running = start(folder, port)
        # Clients of the broker are let in before those of its panel.
        wait_until_also(port)
        note.write_text(str(port))
        return running

    running = shared(name, notes=notes, start=begin)
    return Managed(running, f"http://guest:guest@{HOST}:{note.read_text()}")
