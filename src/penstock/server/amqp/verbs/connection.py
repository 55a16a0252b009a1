"""connection.* and channel.*, beyond opening and closing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.amqp.errors import ChannelFault
from penstock.server.amqp.verbs.table import verb
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.methods import (
    AccessRequest,
    AccessRequestOk,
    ChannelFlow,
    ChannelFlowOk,
    ConnectionUpdateSecret,
    ConnectionUpdateSecretOk,
)

if TYPE_CHECKING:
    from penstock.server.amqp.channel import Channel
    from penstock.server.amqp.session import AmqpSession

__all__ = ["flow", "update_secret"]


@verb(ChannelFlow)
def flow(channel: Channel, method: ChannelFlow) -> ChannelFlowOk:
    """Deliveries go on; to stop them there are windows (basic.qos), as with RabbitMQ."""
    if not method.active:
        raise ChannelFault(ReplyCode.NOT_IMPLEMENTED, "active=false")
    return ChannelFlowOk(active=True)


@verb(ConnectionUpdateSecret)
def update_secret(session: AmqpSession, method: ConnectionUpdateSecret) -> ConnectionUpdateSecretOk:
    """A fresh token of the same user; passwords do not expire, so there is nothing to do."""
    return ConnectionUpdateSecretOk()


@verb(AccessRequest)
def access(channel: Channel, method: AccessRequest) -> AccessRequestOk:
    """A relic that is always granted."""
    return AccessRequestOk()
