"""Debian's rabbitmq-server, on ports, in a folder and with an epmd of its own.

Nothing of it touches an installed service: its own home (with the Erlang cookie), its own node name,
its own port mapper. Any user may start it. It is thrown away afterwards, so it is killed, not asked.
"""

from __future__ import annotations

import os
import shutil
import signal
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from tests.servers.running import HOST, Process, Running, free_port, launch, wait_until_it_listens

if TYPE_CHECKING:
    import subprocess

#: The server behind Debian's /usr/sbin/rabbitmq-server, which insists on the user rabbitmq.
BEHIND_THE_WRAPPER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")

#: Guest as always; and somebody who may touch only what begins with "mine.".
DEFINITIONS = """{
  "vhosts": [{"name": "/"}, {"name": "elsewhere"}],
  "users": [
    {"name": "guest", "password": "guest", "tags": ["administrator"]},
    {"name": "limited", "password": "limited", "tags": []}
  ],
  "permissions": [
    {"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"},
    {"user": "guest", "vhost": "elsewhere", "configure": ".*", "write": ".*", "read": ".*"},
    {"user": "limited", "vhost": "/", "configure": "^mine\\\\.", "write": "^mine\\\\.", "read": "^mine\\\\."}
  ]
}
"""

#: The setting that makes the broker block its publishers from the start: no memory is little enough.
UNDER_ALARM = "vm_memory_high_watermark.absolute = 1"

SETTINGS = """
listeners.tcp.1 = {host}:{port}
load_definitions = {folder}/definitions.json
log.console = false
log.file.level = warning
# A laptop's full disk is no reason to block every publisher of the tests.
disk_free_limit.absolute = 1MB
{more}
"""


def start(program: Path, folder: Path, *, settings: str = "") -> Running:
    """Start a RabbitMQ node in the folder and return when it answers.

    Args:
        program: rabbitmq-server, as found.
        folder: Empty, and nobody else's.
        settings: More lines for rabbitmq.conf.
    """
    if BEHIND_THE_WRAPPER.exists():
        program = BEHIND_THE_WRAPPER
    port = free_port()
    environment = _environment(folder)
    (folder / "definitions.json").write_text(DEFINITIONS)
    (folder / "rabbitmq.conf").write_text(SETTINGS.format(host=HOST, port=port, folder=folder, more=settings))
    (folder / "plugins").write_text("[].")
    log = folder / "rabbitmq.log"
    port_mapper = Process.of(_launch_port_mapper(folder, environment))
    node = launch([program], folder=folder, environment=environment, log=log)
    processes = (Process.of(node, farewell=signal.SIGKILL), port_mapper)
    running = Running(name="rabbitmq", port=port, processes=processes)
    try:
        wait_until_it_listens(port, child=node, log=log)
    except BaseException:
        running.end()
        raise
    return running


def _environment(folder: Path) -> dict[str, str]:
    home = folder / "home"
    home.mkdir()
    cookie = home / ".erlang.cookie"
    cookie.write_text(uuid.uuid4().hex)
    cookie.chmod(0o400)
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("RABBITMQ", "ERL"))
    }
    return inherited | {
        "HOME": str(home),
        "ERL_EPMD_PORT": str(free_port()),
        "ERL_EPMD_ADDRESS": HOST,
        "RABBITMQ_NODENAME": f"conversation-{uuid.uuid4().hex[:8]}@localhost",
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_CONF_ENV_FILE": str(folder / "there-is-none"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
    }


def _launch_port_mapper(folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Erlang's port mapper in the foreground: one that a node starts by itself outlives the node."""
    found = shutil.which("epmd") or next(Path("/usr/lib/erlang").glob("erts-*/bin/epmd"))
    return launch(
        [found, "-port", environment["ERL_EPMD_PORT"], "-address", HOST],
        folder=folder,
        environment=environment,
        log=folder / "epmd.log",
    )
