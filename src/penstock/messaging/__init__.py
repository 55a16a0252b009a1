"""Messaging for applications: publish and subscribe behind one port, on every broker.

The same application runs on the broker in its own process, on a Penstock server and on RabbitMQ; only the
URL changes. Most programs need an `Application`, `event`, and a retry strategy; the port beneath is `Broker`,
which `open_broker` gives.
"""

from penstock.messaging.message import Death, Destination, Heading, Message
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

# isort: split
# What stands on the above comes after it.

from penstock.messaging.application import Application, Part
from penstock.messaging.events import event, upcast
from penstock.messaging.opening import open_amqp_broker, open_broker
from penstock.messaging.settings import MessagingSettings
from penstock.messaging.subscriptions import (
    AtMostOnce,
    Backoff,
    Context,
    DeadLetters,
    Delivered,
    ForwardTo,
    Immediate,
    Pausing,
    Rejecting,
    Republish,
    Requeue,
    RetryStrategy,
)

__all__ = [
    "Alert",
    "Alerts",
    "Application",
    "AtMostOnce",
    "Backoff",
    "Broker",
    "Context",
    "DeadLetters",
    "Death",
    "Delays",
    "Delivered",
    "Destination",
    "Detour",
    "ForwardTo",
    "Heading",
    "Immediate",
    "Message",
    "MessagingSettings",
    "Part",
    "Pausing",
    "Received",
    "Rejecting",
    "Republish",
    "Requeue",
    "RetryStrategy",
    "Subscribed",
    "Topology",
    "event",
    "open_amqp_broker",
    "open_broker",
    "upcast",
]
