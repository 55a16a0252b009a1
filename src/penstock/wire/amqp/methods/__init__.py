"""Every class and method of AMQP 0-9-1 with RabbitMQ's extensions, declared as data.

Ids and types: the AMQP 0-9-1 reference, and https://www.rabbitmq.com/amqp-0-9-1-reference for what RabbitMQ
adds. Each file lists its own methods in `__all__`; here they are together.
"""

from penstock.wire.amqp.methods import basic, channel, connection, exchange, queue, transaction
from penstock.wire.amqp.methods.base import METHODS, Method
from penstock.wire.amqp.methods.basic import *  # noqa: F403
from penstock.wire.amqp.methods.channel import *  # noqa: F403
from penstock.wire.amqp.methods.connection import *  # noqa: F403
from penstock.wire.amqp.methods.exchange import *  # noqa: F403
from penstock.wire.amqp.methods.queue import *  # noqa: F403
from penstock.wire.amqp.methods.transaction import *  # noqa: F403

__all__ = ["METHODS", "Method"]
__all__ += basic.__all__
__all__ += channel.__all__
__all__ += connection.__all__
__all__ += exchange.__all__
__all__ += queue.__all__
__all__ += transaction.__all__
