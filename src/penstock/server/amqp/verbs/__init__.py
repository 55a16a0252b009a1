"""What the server does for each AMQP method, one file a class of methods."""

from penstock.server.amqp.verbs import basic, connection, exchange, queue, transaction
from penstock.server.amqp.verbs.table import VERBS

__all__ = ["VERBS", "basic", "connection", "exchange", "queue", "transaction"]
