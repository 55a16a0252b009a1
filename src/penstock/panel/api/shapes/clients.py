"""Who is there: connections, channels, consumers."""

from __future__ import annotations

from typing import Any, TypedDict

from penstock.panel.api.shapes.flow import Details  # noqa: TC001  msgspec reads it

__all__ = ["Channel", "Connection", "Consumer", "OneChannel"]


class Connection(TypedDict, total=False):
    """A connection. What AMQP alone knows is missing of others."""

    name: str
    user: str
    vhost: str
    node: str
    type: str
    host: str
    port: int
    peer_host: str
    peer_port: int
    ssl: bool
    protocol: str
    state: str
    channels: int
    channel_max: int
    frame_max: int
    #: Seconds between heartbeats.
    timeout: float
    auth_mechanism: str
    client_properties: dict[str, Any]
    user_provided_name: str | None
    #: Milliseconds since the epoch.
    connected_at: int
    recv_oct: int
    recv_oct_details: Details
    send_oct: int
    send_oct_details: Details


class ConnectionDetails(TypedDict):
    """The connection of a channel."""

    name: str
    peer_host: str
    peer_port: int


class ChannelDetails(TypedDict, total=False):
    """The channel of a consumer."""

    name: str
    number: int
    connection_name: str
    peer_host: str
    peer_port: int
    user: str
    node: str


class ChannelStats(TypedDict):
    """What has passed a channel."""

    deliver_get: int
    publish: int


class Channel(TypedDict, total=False):
    """A channel."""

    name: str
    number: int
    user: str
    vhost: str
    node: str
    state: str
    connection_details: ConnectionDetails
    confirm: bool
    transactional: bool
    consumer_count: int
    prefetch_count: int
    global_prefetch_count: int
    messages_unacknowledged: int
    messages_unconfirmed: int
    message_stats: ChannelStats


class QueueOf(TypedDict):
    """Where a consumer takes from."""

    name: str
    vhost: str


class Consumer(TypedDict, total=False):
    """A consumer."""

    consumer_tag: str
    queue: QueueOf
    ack_required: bool
    exclusive: bool
    prefetch_count: int
    priority: int
    active: bool
    activity_status: str
    messages_unacknowledged: int
    arguments: dict[str, Any]
    channel_details: ChannelDetails


class OneChannel(Channel, total=False):
    """A channel, with its consumers."""

    consumer_details: list[Consumer]
    deliveries: list[Any]
    publishes: list[Any]
