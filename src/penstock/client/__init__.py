"""An AMQP client for Penstock and RabbitMQ that loses nothing silently and comes back by itself.

Connect with `connect`, declare what should be there, publish, consume. The same verbs for threads are in
`penstock.client.sync`.
"""

from penstock.client.client import Client
from penstock.client.connecting import connect
from penstock.client.consumption import Consumption
from penstock.client.counters import Counters
from penstock.client.delivery import Delivery
from penstock.client.dialing import Dial
from penstock.client.run import Run
from penstock.client.settings import ClientSettings
from penstock.client.url import BrokerUrl
from penstock.client.values import Binding, Exchange, Outgoing, Queue, QueueState, ServerInfo, Thing

__all__ = [
    "Binding",
    "BrokerUrl",
    "Client",
    "ClientSettings",
    "Consumption",
    "Counters",
    "Delivery",
    "Dial",
    "Exchange",
    "Outgoing",
    "Queue",
    "QueueState",
    "Run",
    "ServerInfo",
    "Thing",
    "connect",
]
