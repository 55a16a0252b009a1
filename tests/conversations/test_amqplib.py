"""amqplib, the client of Node: its stories are in amqplib.cjs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conversations.node import installed
from tests.conversations.programs import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.servers.running import Running

SCRIPT = Path(__file__).with_name("amqplib.cjs")
STORIES = [*re.findall(r"^  async (\w+)\(connection\)", SCRIPT.read_text(), re.MULTILINE), "refused"]

#: Pinned, as requirements.lock pins what is Python's.
AMQPLIB = "amqplib@2.3.1"


@pytest.fixture(scope="session")
def modules(run_folder: Path, real_program: Callable[[str], Path]) -> Path:
    """The folder in which amqplib is installed, once for the run."""
    return installed(AMQPLIB, npm=real_program("npm"), run_folder=run_folder)


@pytest.mark.parametrize("story", STORIES)
def test_amqplib_tells(
    broker: Running, modules: Path, name: str, story: str, real_program: Callable[[str], Path], tmp_path: Path
) -> None:
    arguments: list[str | Path] = [real_program("node"), SCRIPT, story, broker.url, name]
    run(arguments, folder=tmp_path, environment={"NODE_PATH": str(modules)})
