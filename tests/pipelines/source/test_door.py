from __future__ import annotations

import errno
import socket
import stat
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from penstock.errors import NotConnected
from penstock.pipelines.source.door import PREFIX, Door, tell


def test_who_knocks_is_answered_when_it_is_committed() -> None:
    committed: list[int] = []
    door = Door(committed.append)

    assert tell(door.path, 5) == ""
    assert tell(door.path, 9) == ""
    assert committed == [5, 9]
    door.close()


def test_what_is_returned_is_the_answer() -> None:
    door = Door(lambda position: f"up to {position}")

    assert tell(door.path, 5) == "up to 5"
    door.close()


def test_what_goes_wrong_is_told() -> None:
    def fail(_: int) -> None:
        raise NotConnected("the broker is away")

    door = Door(fail)

    assert tell(door.path, 5) == "the broker is away"
    door.close()


def test_only_this_user_may_enter() -> None:
    door = Door(print)

    assert stat.S_IMODE(Path(door.path).parent.stat().st_mode) == 0o700
    door.close()


def test_a_closed_door_leaves_nothing() -> None:
    door = Door(print)
    door.close()

    assert not Path(door.path).parent.exists()
    with pytest.raises(OSError, match="No such file"):
        tell(door.path, 1)


def test_doors_of_the_dead_are_removed_and_those_of_the_living_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    # A socket's path has at most 107 bytes, too few for a folder by the test's name.
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        dead = Path(folder, f"{PREFIX}dead")
        dead.mkdir()
        living = Door(print)

        other = Door(print)

        assert not dead.exists()
        assert Path(living.path).exists()
        living.close()
        other.close()


@pytest.mark.parametrize("step", ["bind", "listen"])
def test_a_door_that_is_being_made_is_not_taken_for_a_dead_ones(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given somebody who opens another door, and sweeps before it, in the middle of the making
    class Slow(socket.socket):
        def bind(self, address: Any) -> None:
            if step == "bind":
                open_another()
            super().bind(address)

        def listen(self, backlog: int = 1) -> None:
            if step == "listen":
                open_another()
            super().listen(backlog)

    def open_another() -> None:
        monkeypatch.undo()
        Door(print).close()

    # When the door is made
    monkeypatch.setattr(socket, "socket", Slow)
    door = Door(lambda position: f"up to {position}")

    # Then somebody answers there
    assert tell(door.path, 5) == "up to 5"
    door.close()


def test_at_a_door_that_nobody_answers_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as sockets:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        # Given a planner that was stopped, before whose door as many stand as there is room for
        stopped = Path(folder, f"{PREFIX}stopped")
        stopped.mkdir()
        listening = sockets.enter_context(socket.socket(socket.AF_UNIX))
        listening.bind(str(stopped / "door"))
        listening.listen(0)
        code = 0
        while not code:
            knocking = sockets.enter_context(socket.socket(socket.AF_UNIX))
            knocking.settimeout(0)
            code = knocking.connect_ex(str(stopped / "door"))
        assert code == errno.EAGAIN

        # When another begins
        Door(print).close()

        # Then it has not waited, and has left the other's door alone
        assert stopped.exists()


def test_where_paths_are_too_long_for_a_socket_the_door_is_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    committed: list[int] = []
    door = Door(committed.append)
    assert (tell(door.path, 5), committed) == ("", [5])
    door.close()
    assert not Path(door.path).parent.exists()
