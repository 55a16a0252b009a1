"""What commands about an application are given: a module with one, and real brokers."""

from __future__ import annotations

import logging
import sys
import uuid
from functools import cache
from typing import TYPE_CHECKING

import pytest
import typer.testing
from typer.main import get_command

from tests.cli.desk import Desk
from tests.cli.office import Office
from tests.servers.managed import managed_penstock, managed_rabbitmq

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.managed import Managed
    from tests.servers.running import Running

MODULE = '''
import msgspec
from penstock.messaging.application import Application
from penstock.messaging.events import event

@event("ThreadCreated")
class ThreadCreated(msgspec.Struct):
    id: int
    title: str = ""

app = Application("{name}")

@app.consumer(ThreadCreated, name="notifications"{options})
async def notifications(event, context):
    """Nothing is done about it here."""
'''


class Commons:
    """An application in a module, in the working directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"commons-{uuid.uuid4().hex[:8]}"
        self.target = ""
        self.write()

    def write(self, change: Callable[[str], str] = str, *, options: str = "") -> None:
        """Write the module, under another name each time: a module is imported once."""
        module = f"module_{uuid.uuid4().hex}"
        text = change(MODULE.replace("{name}", self.name).replace("{options}", options))
        (self.folder / f"{module}.py").write_text(text)
        self.target = f"{module}:app"


@pytest.fixture
def commons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commons]:
    """An application that can be named on the command line; no broker is."""
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delenv("MQ_URL", raising=False)
    monkeypatch.delenv("MQ_DEAD_LETTERS", raising=False)
    yield Commons(tmp_path)
    for name in set(sys.modules) - before:
        if name.startswith("module_"):
            del sys.modules[name]


@pytest.fixture(params=["penstock_server", "rabbitmq_server"])
def running(request: pytest.FixtureRequest) -> Running:
    """A broker that answers."""
    found: Running = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session", params=["penstock", "rabbitmq"])
def managed(request: pytest.FixtureRequest, run_folder: Path, real_program: Callable[[str], Path]) -> Managed:
    """A broker that answers over HTTP, too."""
    if request.param == "penstock":
        return managed_penstock(run_folder)
    return managed_rabbitmq(real_program("rabbitmq"), run_folder)


@pytest.fixture
def office(managed: Managed) -> Office:
    """The commands that ask a management API, and a queue of one's own."""
    return Office(managed)


@pytest.fixture
def desk(tmp_path: Path, running: Running) -> Iterator[Desk]:
    desk = Desk(tmp_path / "app.db", running.url)
    assert desk.arrived() == []
    yield desk
    desk.engine.dispose()


@pytest.fixture
def quiet(tmp_path: Path) -> Iterator[Desk]:
    """Without a broker."""
    desk = Desk(tmp_path / "app.db", "amqp://127.0.0.1:1/")
    yield desk
    desk.engine.dispose()


@pytest.fixture(scope="session", autouse=True)
def _built_once() -> Iterator[None]:
    """The tree of all commands takes a tenth of a second to build, and tests ask for it a thousand times."""
    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(typer.testing, "_get_command", cache(get_command))
        yield


@pytest.fixture(autouse=True)
def _logs() -> Iterator[None]:
    """Commands send what is logged to their own standard error, which is gone when they end here."""
    logger = logging.getLogger("penstock")
    before = logger.handlers[:], logger.level, logger.propagate
    yield
    logger.handlers[:], logger.level, logger.propagate = before
