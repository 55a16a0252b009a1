"""Messaging for applications: publish and subscribe behind one port, on every broker.

The same application runs on the broker in its own process, on a Penstock server and on RabbitMQ; only the
URL changes.
"""

from penstock.messaging.message import Death, Destination, Message
from penstock.messaging.port import (
    Alert,
    Alerts,
    Broker,
    Delays,
    Detour,
    Received,
    Subscribed,
    Topology,
)

__all__ = [
    "Alert",
    "Alerts",
    "Broker",
    "Death",
    "Delays",
    "Destination",
    "Detour",
    "Message",
    "Received",
    "Subscribed",
    "Topology",
]
