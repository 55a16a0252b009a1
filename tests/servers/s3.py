"""A real object store that speaks S3: rclone, from its pip package, before a folder of this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.servers.running import HOST, Process, Running, free_port, launch, wait_until_it_listens

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY: Final = "penstock"
SECRET: Final = "a-secret-of-the-tests"  # noqa: S105  of this machine alone
#: The one bucket that there is.
BUCKET: Final = "contents"
#: When clients look at checksums: it answers a part of an object with that of the whole.
CHECKED: Final = "when_required"


def start(folder: Path) -> Running:
    """Start it in the folder, and return when it answers."""
    port, log = free_port(), folder / "rclone.log"
    (folder / "served" / BUCKET).mkdir(parents=True)
    program = Path(sys.executable).with_name("rclone")
    # It has nothing of its own beside that folder: neither settings nor a cache.
    flags = [
        "--addr",
        f"{HOST}:{port}",
        "--auth-key",
        f"{KEY},{SECRET}",
        "--config",
        "",
        "--vfs-cache-mode=off",
    ]
    command: list[str | Path] = [program, "serve", "s3", folder / "served", *flags]
    child = launch(command, folder=folder, environment=os.environ, log=log)
    running = Running(name="s3", port=port, processes=(Process.of(child),), url_form="http://{host}:{port}")
    try:
        wait_until_it_listens(port, child=child, log=log)
    except BaseException:
        running.end()
        raise
    return running


def environment(server: Running) -> Mapping[str, str]:
    """How those who use it are told of it."""
    return {
        "AWS_ENDPOINT_URL": server.url,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_RESPONSE_CHECKSUM_VALIDATION": CHECKED,
    }


def options(server: Running) -> Mapping[str, Any]:
    """The same for s3fs."""
    config = {"response_checksum_validation": CHECKED}
    return {"endpoint_url": server.url, "key": KEY, "secret": SECRET, "config_kwargs": config}
