"""Penstock as `./run` starts it: one process, with a store on disk. The only file here that knows how."""

from __future__ import annotations

import sys

from peers import Peer, free_port, new_folder, start


def start_penstock(*more: str) -> Peer:
    folder, port = new_folder("penstock"), free_port()
    options = ["--amqp", f"127.0.0.1:{port}", "--data", str(folder / "data"), *more]
    server = start([sys.executable, "-m", "penstock", "broker", *options], folder, {})
    return Peer("Penstock", port, [server], folder)
