"""The broker as a whole: overview, node, health, definitions."""

from __future__ import annotations

from typing import Any, TypedDict

from penstock.panel.api.shapes.flow import Depths, MessageStats  # noqa: TC001  msgspec reads them

__all__ = ["Auth", "Check", "ClusterName", "Definitions", "Memory", "Node", "Overview", "Parameter"]


class ClusterName(TypedDict):
    """What the broker is called."""

    name: str


class ExchangeType(TypedDict):
    """A type of exchanges that can be declared."""

    name: str
    description: str
    enabled: bool


class Listener(TypedDict):
    """A socket that takes connections."""

    node: str
    protocol: str
    ip_address: str
    port: int


class ObjectTotals(TypedDict):
    """How many there are of each."""

    connections: int
    channels: int
    consumers: int
    exchanges: int
    queues: int


class Overview(TypedDict, total=False):
    """What the broker is, has and carries."""

    product_name: str
    product_version: str
    management_version: str
    rabbitmq_version: str
    python_version: str
    cluster_name: str
    node: str
    rates_mode: str
    sample_retention_policies: dict[str, list[int]]
    exchange_types: list[ExchangeType]
    message_stats: MessageStats
    queue_totals: Depths
    object_totals: ObjectTotals
    listeners: list[Listener]
    contexts: list[Any]
    #: Why publishers are blocked, if they are.
    alarms: str | None
    disable_stats: bool
    enable_queue_totals: bool
    statistics_db_event_queue: int


class Node(TypedDict, total=False):
    """The one node, with what it uses and may use: bytes, files, sockets; times in milliseconds."""

    name: str
    type: str
    running: bool
    being_drained: bool
    os_pid: str
    uptime: int
    processors: int | None
    mem_used: int | None
    mem_limit: int | None
    mem_alarm: bool
    disk_free: int | None
    disk_free_limit: int | None
    disk_free_alarm: bool
    fd_used: int | None
    fd_total: int
    sockets_used: int
    sockets_total: int
    rates_mode: str
    exchange_types: list[ExchangeType]
    auth_mechanisms: list[dict[str, Any]]
    applications: list[dict[str, str]]
    enabled_plugins: list[str]
    config_files: list[str]
    log_files: list[str]
    db_dir: str
    partitions: list[Any]
    cluster_links: list[Any]
    contexts: list[Any]


class Memory(TypedDict):
    """What memory the node uses, as the system sees it."""

    memory: dict[str, Any]


class Auth(TypedDict):
    """How to log in."""

    oauth_enabled: bool
    enable_uaa: bool
    uaa_client_id: str
    uaa_location: str


class _Status(TypedDict):
    status: str


class Check(_Status, total=False):
    """Whether something is so: "ok", or "failed" and why; with what the check has looked at."""

    reason: str
    alarms: list[dict[str, str]]
    port: int
    ports: list[int]
    protocol: str
    protocols: list[str]
    missing: int | str
    virtual_hosts: list[str]
    current: int
    limit: int
    expired: list[dict[str, str]]


class Parameter(TypedDict):
    """A parameter; there are limits of virtual hosts, and no others."""

    component: str
    vhost: str
    name: str
    value: dict[str, int]


class Definitions(TypedDict, total=False):
    """All that a broker, or one virtual host, is made of; RabbitMQ's format."""

    rabbit_version: str
    rabbitmq_version: str
    product_name: str
    product_version: str
    users: list[dict[str, Any]]
    vhosts: list[dict[str, Any]]
    permissions: list[dict[str, Any]]
    topic_permissions: list[dict[str, Any]]
    parameters: list[Parameter]
    global_parameters: list[Any]
    policies: list[Any]
    queues: list[dict[str, Any]]
    exchanges: list[dict[str, Any]]
    bindings: list[dict[str, Any]]
