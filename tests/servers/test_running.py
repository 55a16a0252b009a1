"""Starting, sharing and ending, with small programs of our own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.servers.running import (
    HOST,
    READY,
    DidNotStart,
    Process,
    Running,
    _accepts,
    _comes_true,
    _started,
    end_all,
    free_port,
    launch,
    quiet_ports,
    shared,
    wait_until_it_is_ready,
    wait_until_it_listens,
)

#: A server that has a child, so that there are two to end.
SERVER = """
import os, socket, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    while True:
        server.accept()
"""


def start(folder: Path) -> Running:
    port = free_port()
    log = folder / "small.log"
    command = [sys.executable, "-c", SERVER, str(port)]
    child = launch(command, folder=folder, environment=os.environ, log=log)
    wait_until_it_listens(port, child=child, log=log)
    return Running(name="small", port=port, processes=(Process.of(child),))


def test_a_server_is_started_once_for_all_who_ask(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: shared("small", notes=tmp_path, start=start), range(4)))
    try:
        assert len(found) == 1
    finally:
        end_all(tmp_path)


def test_what_was_noted_is_ended_with_its_children(tmp_path: Path) -> None:
    running = shared("small", notes=tmp_path, start=start)
    child = int((tmp_path / "server-small" / "small.log").read_text())
    end_all(tmp_path)
    assert not running.processes[0].is_alive()
    assert _comes_true(lambda: not _started(child), within_s=60)
    assert shared("small", notes=tmp_path, start=start) != running
    end_all(tmp_path)


def test_notes_that_go_meanwhile_keep_no_server_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = [shared(name, notes=tmp_path, start=start) for name in ("one", "two")]

    def end(server: Running) -> None:
        really_end(server)
        for note in tmp_path.glob("server-*.json"):
            note.unlink()

    really_end = Running.end
    monkeypatch.setattr(Running, "end", end)
    end_all(tmp_path)
    assert not any(server.processes[0].is_alive() for server in servers)


def test_a_server_that_is_gone_is_started_anew(tmp_path: Path) -> None:
    first = shared("small", notes=tmp_path, start=start)
    first.end()
    second = shared("small", notes=tmp_path, start=start)
    assert second.processes[0].is_alive()
    end_all(tmp_path)


#: A process of a test run that has started a server, which goes on when it leaves. Its filters are another's.
LEAVES = """
import atexit, os, sys, warnings
from pathlib import Path
atexit.register(warnings.simplefilter, "error")
from tests.servers.running import launch
folder = Path(sys.argv[1])
print(launch(["sleep", "600"], folder=folder, environment=os.environ, log=folder / "sleep.log").pid)
"""


def test_whoever_has_started_a_server_leaves_without_a_word(tmp_path: Path) -> None:
    left = subprocess.run(
        [sys.executable, "-c", LEAVES, tmp_path], capture_output=True, check=True, text=True
    )
    server = int(left.stdout)
    try:
        assert _started(server)
        assert not left.stderr
    finally:
        os.kill(server, signal.SIGKILL)


def test_an_id_that_now_is_somebody_elses_is_left_alone() -> None:
    somebody = Process(pid=os.getpid(), started="long ago")
    assert not somebody.is_alive()
    somebody.end()


def test_a_server_that_ends_at_once_tells_what_it_said(tmp_path: Path) -> None:
    log = tmp_path / "broken.log"
    child = launch(["sh", "-c", "echo no; exit 3"], folder=tmp_path, environment=os.environ, log=log)
    with pytest.raises(DidNotStart, match=r"broken ended with 3; it said: …no"):
        wait_until_it_listens(free_port(), child=child, log=log)


def test_a_program_that_is_not_ready_yet_is_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "slow.log"
    script = f"echo begins; sleep 0.2; echo {READY}: here; sleep 600"
    child = launch(["sh", "-c", script], folder=tmp_path, environment=os.environ, log=log)
    wait_until_it_is_ready(child=child, log=log)
    assert log.read_text() == f"begins\n{READY}: here\n"
    Process.of(child).end()


#: Its first thread ends, and another one goes on: as of one that is killed in the middle of much work.
LINGERS = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=[600]).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_a_process_lives_as_long_as_any_of_its_threads(tmp_path: Path) -> None:
    log = tmp_path / "lingering.log"
    child = launch([sys.executable, "-c", LINGERS], folder=tmp_path, environment=os.environ, log=log)
    process = Process.of(child, farewell=signal.SIGKILL)
    status = Path(f"/proc/{child.pid}/status")
    assert _comes_true(lambda: "(zombie)" in status.read_text(), within_s=60), log.read_text()
    assert process.is_alive()
    process.end()
    assert not process.is_alive()


def test_a_port_is_ours_in_every_life_of_a_server(tmp_path: Path) -> None:
    port = free_port()
    for _ in range(2):
        with socket.create_server((HOST, port)):
            assert _accepts(port)
        assert not _accepts(port)
    with socket.socket() as stranger, pytest.raises(OSError, match="in use"):
        stranger.bind((HOST, port))


def test_a_server_has_an_address() -> None:
    assert Running(name="x", port=1, processes=()).url == f"amqp://guest:guest@{HOST}:1/"


def test_ports_in_a_row_are_passed_over_when_one_of_them_is_taken() -> None:
    first = quiet_ports(3)
    with socket.create_server((HOST, first + 1)):
        assert quiet_ports(3) == first + 2
    assert first + 3 < 32_768
