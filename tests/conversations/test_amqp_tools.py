"""librabbitmq's own tools: the C client, from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conversations.programs import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.servers.running import Running


@pytest.fixture
def tool(broker: Running, real_program: Callable[[str], Path], tmp_path: Path) -> Callable[..., str]:
    """Runs amqp-WHAT with these arguments, told where the broker is."""
    folder = real_program("amqp-tools").parent

    def use(what: str, *arguments: str, said: str = "") -> str:
        where = ("--server", broker.host, "--port", str(broker.port))
        return run([folder / f"amqp-{what}", *where, *arguments], folder=tmp_path, said=said)

    return use


def test_a_queue_is_declared_published_to_and_got_from(tool: Callable[..., str], name: str) -> None:
    assert tool("declare-queue", "--queue", name).strip() == name
    tool("publish", "--routing-key", name, "--body", "hello", "--content-type", "text/plain")
    assert tool("get", "--queue", name) == "hello"
    assert tool("delete-queue", "--queue", name).strip() == "0"


def test_a_consumer_runs_a_command_for_each_message(tool: Callable[..., str], name: str) -> None:
    tool("declare-queue", "--queue", name)
    for body in ["one", "two", "three"]:
        tool("publish", "--routing-key", name, "--persistent", "--body", body)
    assert tool("consume", "--queue", name, "--count", "3", "--prefetch-count", "1", "cat") == "onetwothree"
    assert tool("delete-queue", "--queue", name).strip() == "0"


def test_lines_are_published_one_by_one(tool: Callable[..., str], name: str) -> None:
    tool("declare-queue", "--queue", name)
    tool("publish", "--routing-key", name, "--line-buffered", said="a\nb\n")
    assert tool("delete-queue", "--queue", name).strip() == "2"


def test_a_queue_that_is_not_there_is_told(tool: Callable[..., str], name: str) -> None:
    with pytest.raises(AssertionError, match=r"(?s)NOT_FOUND - no queue|404"):
        tool("get", "--queue", name)
