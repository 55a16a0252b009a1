"""Which permissions each AMQP operation needs, and of which names: a table.

From RabbitMQ's rabbit_channel.erl (4.3). Nothing here decides; guard.py goes by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from penstock.server.permissions import Action

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NEEDS", "Need", "Operation"]


class Operation(Enum):
    """What a client may ask for that needs a permission; the rest of the protocol needs none."""

    QUEUE_DECLARE = "queue.declare"
    QUEUE_DECLARE_PASSIVE = "queue.declare, passive"
    #: Of a new queue with the argument x-dead-letter-exchange, after QUEUE_DECLARE.
    QUEUE_DEAD_LETTER = "queue.declare, x-dead-letter-exchange"
    QUEUE_DELETE = "queue.delete"
    QUEUE_PURGE = "queue.purge"
    QUEUE_BIND = "queue.bind"
    QUEUE_UNBIND = "queue.unbind"
    EXCHANGE_DECLARE = "exchange.declare"
    EXCHANGE_DECLARE_PASSIVE = "exchange.declare, passive"
    #: Of a new exchange with the argument alternate-exchange, after EXCHANGE_DECLARE.
    EXCHANGE_ALTERNATE = "exchange.declare, alternate-exchange"
    EXCHANGE_DELETE = "exchange.delete"
    EXCHANGE_BIND = "exchange.bind"
    EXCHANGE_UNBIND = "exchange.unbind"
    PUBLISH = "basic.publish"
    CONSUME = "basic.consume"
    GET = "basic.get"


@dataclass(frozen=True, slots=True)
class Need:
    """Permission for one of these actions, on one of the operation's names."""

    #: Any one is enough; a refusal names the last.
    actions: tuple[Action, ...]
    #: "queue" or "exchange".
    kind: str
    #: Which of the operation's names: `name`, or `other`.
    is_other: bool = False


CONFIGURE: Final = (Action.CONFIGURE,)
WRITE: Final = (Action.WRITE,)
READ: Final = (Action.READ,)
#: To ask whether something exists, any permission will do (rabbitmq-server#16085).
ANY: Final = (Action.READ, Action.WRITE, Action.CONFIGURE)

#: `name` is what is declared, deleted, bound, published to or consumed; `other` is the exchange it is bound
#: to, or its dead-letter or alternate exchange.
NEEDS: Final[Mapping[Operation, tuple[Need, ...]]] = {
    Operation.QUEUE_DECLARE: (Need(CONFIGURE, "queue"),),
    Operation.QUEUE_DECLARE_PASSIVE: (Need(ANY, "queue"),),
    Operation.QUEUE_DEAD_LETTER: (Need(READ, "queue"), Need(WRITE, "exchange", is_other=True)),
    Operation.QUEUE_DELETE: (Need(CONFIGURE, "queue"),),
    Operation.QUEUE_PURGE: (Need(READ, "queue"),),
    Operation.QUEUE_BIND: (Need(WRITE, "queue"), Need(READ, "exchange", is_other=True)),
    Operation.QUEUE_UNBIND: (Need(WRITE, "queue"), Need(READ, "exchange", is_other=True)),
    Operation.EXCHANGE_DECLARE: (Need(CONFIGURE, "exchange"),),
    Operation.EXCHANGE_DECLARE_PASSIVE: (Need(ANY, "exchange"),),
    Operation.EXCHANGE_ALTERNATE: (Need(READ, "exchange"), Need(WRITE, "exchange", is_other=True)),
    Operation.EXCHANGE_DELETE: (Need(CONFIGURE, "exchange"),),
    Operation.EXCHANGE_BIND: (Need(WRITE, "exchange"), Need(READ, "exchange", is_other=True)),
    Operation.EXCHANGE_UNBIND: (Need(WRITE, "exchange"), Need(READ, "exchange", is_other=True)),
    Operation.PUBLISH: (Need(WRITE, "exchange"),),
    Operation.CONSUME: (Need(READ, "queue"),),
    Operation.GET: (Need(READ, "queue"),),
}
