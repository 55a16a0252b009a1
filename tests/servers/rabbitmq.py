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
    from collections.abc import Sequence

#: The server behind Debian's /usr/sbin/rabbitmq-server, which insists on the user rabbitmq.
BEHIND_THE_WRAPPER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")

#: Guest as always; somebody who may touch only what begins with "mine.", with the hash of "limited" (a
#: password would be hashed at every start); and three whose password is "test12".
DEFINITIONS = """{
  "vhosts": [{"name": "/"}, {"name": "elsewhere"}],
  "users": [
    {"name": "guest", "password": "guest", "tags": ["administrator"]},
    {"name": "limited", "password_hash": "kI3GCkLqIr15kRYpICrpKkGDUiqRFzaP+kwdKkMA7DnBIckZ", "tags": []},
    {"name": "hashed-256", "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": "",
     "password_hash": "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR"},
    {"name": "hashed-md5", "hashing_algorithm": "rabbit_password_hashing_md5", "tags": "",
     "password_hash": "kI3GChNpte2FApYFXScl+0dIluk="},
    {"name": "hashed-512", "hashing_algorithm": "rabbit_password_hashing_sha512", "tags": "",
     "password_hash":
     "kI3GChuNuIYf8lRbCCxZjgjKwsY19ns6+uFO0zcXRBGA/XGJPYD8OWMy7EB8TaOmAzjP2azv84GbINYwX2cDWb4DHnc="}
  ],
  "permissions": [
    {"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"},
    {"user": "guest", "vhost": "elsewhere", "configure": ".*", "write": ".*", "read": ".*"},
    {"user": "hashed-256", "vhost": "/", "configure": "", "write": "", "read": ""},
    {"user": "hashed-md5", "vhost": "/", "configure": "", "write": "", "read": ""},
    {"user": "hashed-512", "vhost": "/", "configure": "", "write": "", "read": ""},
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


def start(program: Path, folder: Path, *, settings: str = "", plugins: Sequence[str] = ()) -> Running:
    """Start a RabbitMQ node in the folder and return when it answers.

    Args:
        program: rabbitmq-server, as found.
        folder: Empty, and nobody else's.
        settings: More lines for rabbitmq.conf.
        plugins: Which of those that come with it are on.
    """
    if BEHIND_THE_WRAPPER.exists():
        program = BEHIND_THE_WRAPPER
    port = free_port()
    environment = _environment(folder)
    (folder / "definitions.json").write_text(DEFINITIONS)
    (folder / "rabbitmq.conf").write_text(SETTINGS.format(host=HOST, port=port, folder=folder, more=settings))
    (folder / "plugins").write_text(f"[{','.join(plugins)}].")
    log = folder / "rabbitmq.log"
    port_mapper = _start_port_mapper(folder, environment)
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


def _start_port_mapper(folder: Path, environment: dict[str, str]) -> Process:
    """Erlang's port mapper in the foreground, and listening.

    A node that finds nobody there yet starts one by itself, as a daemon that outlives every test run.
    """
    found = shutil.which("epmd") or next(Path("/usr/lib/erlang").glob("erts-*/bin/epmd"))
    port, log = environment["ERL_EPMD_PORT"], folder / "epmd.log"
    child = launch([found, "-port", port, "-address", HOST], folder=folder, environment=environment, log=log)
    started = Process.of(child)
    try:
        wait_until_it_listens(int(port), child=child, log=log)
    except BaseException:
        started.end()
        raise
    return started
