"""A real PostgreSQL, on a free loopback port, with its data in a folder of its own.

PostgreSQL refuses to run as root; root starts it as the user `postgres`, which its package makes, anybody
else as themselves. Everybody of this machine is let in as anybody: it holds nothing but tests.
"""

from __future__ import annotations

import atexit
import functools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg

from tests.servers.running import (
    HOST,
    UP_WITHIN_S,
    Process,
    Running,
    free_port,
    launch,
    wait_until_it_listens,
)

#: Whom root starts it as.
OWNER = "postgres"
#: The name of PostgreSQL's own superuser, and of the database that is there from the start.
SUPERUSER = "postgres"
#: The setting for tests that kill processes, not machines: no commit has to wait for the disk, and what the
#: system keeps in memory is not lost.
IMPATIENT = "fsync=off"


class PostgreSQL:
    """A server that a test may stop, kill and start again, always on the same folder and port."""

    def __init__(self, program: Path, *settings: str) -> None:
        self.bin = program.resolve().parent
        self.settings = settings
        self.port = free_port()
        self.folder = _folder()
        self.running: Running | None = None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def create(self) -> None:
        """Make the files of an empty database."""
        subprocess.run([*_as_owner(), "cp", "-a", _empty(self.bin), self.data], check=True)

    def start(self, *settings: str) -> Running:
        """Start it, and return when it answers.

        Args:
            settings: name=value, as in postgresql.conf.
        """
        log = self.folder / "postgresql.log"
        own = (f"listen_addresses={HOST}", f"port={self.port}", "unix_socket_directories=")
        options = [part for setting in (*own, *self.settings, *settings) for part in ("-c", setting)]
        child = launch(
            [*_as_owner(), self.bin / "postgres", "-D", self.data, *options],
            folder=self.folder,
            environment=os.environ,
            log=log,
        )
        # SIGINT is its fast shutdown; SIGTERM would wait until every client has left.
        process = Process.of(child, farewell=signal.SIGINT)
        self.running = Running(name="postgresql", port=self.port, processes=(process,))
        try:
            wait_until_it_listens(self.port, child=child, log=log)
            _wait_until_it_answers(self.running)
        except BaseException:
            self.running.end()
            raise
        return self.running

    def stop(self) -> None:
        """Have it shut down at once, in good order."""
        if self.running is not None:
            self.running.end()

    def restart(self) -> None:
        """Every client loses its connection, and what is committed stays."""
        self.stop()
        self.start()

    def destroy(self) -> None:
        """Stop it, and leave nothing."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def url_of(running: Running, database: str = SUPERUSER, user: str = SUPERUSER) -> str:
    """Where SQLAlchemy finds it."""
    return f"postgresql+psycopg://{user}@{running.host}:{running.port}/{database}"


def start(program: Path, *settings: str) -> PostgreSQL:
    """A server that answers, with these settings in all its lives. Whoever starts it destroys it."""
    server = PostgreSQL(program, *settings)
    try:
        server.create()
        server.start()
    except BaseException:
        server.destroy()
        raise
    return server


def _folder() -> Path:
    """One of a server's own: its user must be able to reach it, and pytest's are for one user's eyes only."""
    folder = Path(tempfile.mkdtemp(prefix="penstock-postgresql-", dir="/var/tmp"))
    if os.geteuid() == 0:
        shutil.chown(folder, OWNER)
    return folder


@functools.cache
def _empty(programs: Path) -> Path:
    """The files of an empty database, made once in this process: a copy costs a tenth of it."""
    folder = _folder()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    arguments = ["--auth=trust", f"--username={SUPERUSER}", "--encoding=UTF8", "--no-sync"]
    subprocess.run(
        [*_as_owner(), programs / "initdb", "-D", folder / "data", *arguments],
        check=True,
        cwd=folder,
        stdout=subprocess.DEVNULL,
    )
    return folder / "data"


def _wait_until_it_answers(running: Running) -> None:
    """It listens while it still recovers, and then refuses everybody."""
    until = time.monotonic() + UP_WITHIN_S
    while True:
        try:
            psycopg.connect(host=running.host, port=running.port, user=SUPERUSER, dbname=SUPERUSER).close()
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def _as_owner() -> list[str]:
    """What must stand before a command, so that not root runs it."""
    if os.geteuid() != 0:
        return []
    owner = pwd.getpwnam(OWNER)
    # setpriv becomes the command: the process's id stays the one that is noted down.
    return ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups", "--"]
