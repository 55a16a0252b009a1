"""Nodes: there is one, this process; with what it uses and may use."""

from __future__ import annotations

import os
import platform
import resource
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock import __version__
from penstock.broker import Gauges, total_memory
from penstock.panel.api.listing import listed, one
from penstock.panel.replies import ApiFault, json_reply
from penstock.server.amqp.exchange_types import EXCHANGE_TYPES

if TYPE_CHECKING:
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = ["cluster_name", "exchange_types", "get_memory", "get_node", "list_nodes", "node_name"]

#: Where Linux tells how many files this process has open.
OPEN_FILES: Final = Path("/proc/self/fd")


@cache
def node_name() -> str:
    """What this broker is called where RabbitMQ would name a node."""
    return f"penstock@{platform.node()}"


def exchange_types() -> list[dict[str, Any]]:
    """The types of exchanges that can be declared."""
    return [
        {"name": name, "description": f"proxies of class {each.class_name}", "enabled": True}
        for name, each in EXCHANGE_TYPES.items()
    ]


async def list_nodes(visit: Visit) -> Reply:
    """The one node."""
    return await listed(visit, [node_name()], lambda _: _node(visit))


async def get_node(visit: Visit, name: str) -> Reply:
    """The one node, by its name."""
    _demand_node(name)
    return one(visit, _node(visit))


async def get_memory(visit: Visit, name: str) -> Reply:
    """What memory the node uses, as the system sees it; what for, Python does not tell."""
    _demand_node(name)
    return json_reply({"memory": {"strategy": "rss", "total": {"rss": Gauges().memory()}}})


async def cluster_name(visit: Visit) -> Reply:
    """What the broker is called."""
    return json_reply({"name": node_name()})


def _demand_node(name: str) -> None:
    if name != node_name():
        raise ApiFault(404, f"there is no node '{name}': this broker is '{node_name()}'")


def _node(visit: Visit) -> dict[str, Any]:
    front, settings = visit.front, visit.front.settings
    gauges = Gauges(settings.data)
    reason = front.blocked or ""
    sockets = len(front.sessions) + len(front.visits) + len(visit.panel.embedded.beanstalk.sessions)
    return {
        "name": node_name(),
        "type": "disc" if settings.data else "ram",
        "running": True,
        "being_drained": visit.panel.embedded.beanstalk.is_draining,
        "os_pid": str(os.getpid()),
        "uptime": int((visit.broker.now - visit.panel.started_at) * 1000),
        "processors": os.cpu_count(),
        "mem_used": gauges.memory(),
        "mem_limit": settings.memory_bytes(total_memory()),
        "mem_alarm": "memory" in reason,
        "disk_free": gauges.disk_free(),
        "disk_free_limit": settings.disk_free_limit,
        "disk_free_alarm": "disk" in reason,
        "fd_used": _open_files(),
        "fd_total": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        "sockets_used": sockets,
        "sockets_total": settings.max_connections,
        "rates_mode": "basic",
        "exchange_types": exchange_types(),
        "auth_mechanisms": [{"name": name, "enabled": True} for name in ("PLAIN", "AMQPLAIN")],
        "applications": [{"name": "penstock", "description": "Penstock", "version": __version__}],
        "enabled_plugins": [],
        "config_files": [],
        "log_files": [],
        "db_dir": str(settings.data or ""),
        "partitions": [],
        "cluster_links": [],
        "contexts": [],
    }


def _open_files() -> int | None:
    try:
        return sum(1 for _ in OPEN_FILES.iterdir())
    except OSError:
        return None
