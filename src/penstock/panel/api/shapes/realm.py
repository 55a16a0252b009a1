"""Who may do what where: users, permissions, virtual hosts."""

from __future__ import annotations

from typing import Any, TypedDict

from penstock.panel.api.shapes.flow import Depths, MessageStats

__all__ = ["Asker", "Limits", "Permission", "TopicPermission", "User", "VirtualHost"]


class Asker(TypedDict):
    """Who asks."""

    name: str
    tags: list[str]


class User(TypedDict, total=False):
    """A user; nobody is told its password."""

    name: str
    tags: list[str]
    has_password: bool
    limits: dict[str, Any]


class Permission(TypedDict, total=False):
    """What a user may do in a virtual host: a pattern for each kind of access."""

    user: str
    vhost: str
    configure: str
    write: str
    read: str


class TopicPermission(TypedDict, total=False):
    """Which routing keys a user may use on an exchange."""

    user: str
    vhost: str
    exchange: str
    write: str
    read: str


class Metadata(TypedDict):
    """What people have noted about a virtual host."""

    description: str
    tags: list[str]


class VirtualHost(Depths, total=False):
    """A virtual host."""

    name: str
    description: str
    tags: list[str]
    metadata: Metadata
    tracing: bool
    cluster_state: dict[str, str]
    message_stats: MessageStats


class Limits(TypedDict, total=False):
    """What limits a virtual host."""

    vhost: str
    value: dict[str, int]
