"""What brokers cannot do, as data: rules over a topology, each for a product and a range of its versions.

The facts are RabbitMQ's documentation and release notes, 3.10 to 4.3. A new version of a broker is a new
line here; nothing else has to change.
"""

from __future__ import annotations

from typing import Final

from penstock.messaging.doctor.finding import Severity
from penstock.messaging.doctor.rule import (
    Rule,
    bindings,
    exchanges,
    is_classic,
    is_quorum,
    is_unsafe,
    queues,
    unheard,
)

__all__ = ["PENSTOCK", "RABBITMQ", "RULES"]

PENSTOCK: Final = "Penstock"
RABBITMQ: Final = "RabbitMQ"

REFUSED, RISK, NOTE = Severity.REFUSED, Severity.RISK, Severity.NOTE

RULES: Final = (
    # Wherever it runs
    Rule(
        name="nobody-listens",
        severity=NOTE,
        finds=unheard,
        text="no queue of this application takes it: unless another application's does, publishing it fails"
        " with Unroutable",
    ),
    Rule(
        name="quorum-of-few",
        severity=REFUSED,
        finds=queues(
            lambda queue, given: (
                is_quorum(given) and (queue.exclusive or queue.auto_delete or not queue.durable)
            )
        ),
        text="a quorum queue is durable, not exclusive and not auto-delete: the declaration fails with 406",
    ),
    Rule(
        name="delivery-limit-of-classic",
        severity=REFUSED,
        finds=queues(lambda _, given: is_classic(given) and "x-delivery-limit" in given),
        text="only quorum queues have x-delivery-limit: take it away, or add x-queue-type=quorum",
    ),
    Rule(
        name="strategy-of-classic",
        severity=REFUSED,
        finds=queues(lambda _, given: is_classic(given) and "x-dead-letter-strategy" in given),
        text="only quorum queues have x-dead-letter-strategy: take it away, or add x-queue-type=quorum",
    ),
    Rule(
        name="stream",
        severity=REFUSED,
        finds=queues(lambda _, given: given.get("x-queue-type") == "stream"),
        text="consumers here take messages from queues, not from streams: use quorum or classic",
    ),
    # RabbitMQ
    Rule(
        name="delays",
        product=RABBITMQ,
        severity=NOTE,
        finds=lambda topology: ["delays and retries with a backoff"] if topology.subscriptions else [],
        text="RabbitMQ has no delays (its plugin is archived, and cannot run on 4.3): a ladder of up to 28"
        " exchanges and queues named penstock.delay-… is declared when first needed, in steps of a second."
        " The user needs the permission to configure, write and read them",
    ),
    Rule(
        name="exchange-type",
        product=RABBITMQ,
        severity=REFUSED,
        finds=exchanges(lambda exchange: exchange.type in ("x-selector", "x-prop-wild", "x-lossy")),
        text="only Penstock has this type. What asks for equal or present headers can be a headers exchange;"
        " for anything else, a consumer that publishes on to where messages belong",
    ),
    Rule(
        name="selector-of-a-binding",
        product=RABBITMQ,
        severity=REFUSED,
        finds=bindings(lambda binding: "x-filter-jms-selector" in binding.arguments),
        text="RabbitMQ does not know x-filter-jms-selector and would let every message through: use a headers"
        " exchange, or sort them out in the handler",
    ),
    Rule(
        name="delayed-exchange",
        product=RABBITMQ,
        until=(4, 3),
        severity=REFUSED,
        finds=exchanges(lambda exchange: exchange.type == "x-delayed-message"),
        text="needs a plugin that is archived: publish with a delay to an ordinary exchange instead",
    ),
    Rule(
        name="delayed-exchange",
        product=RABBITMQ,
        since=(4, 3),
        severity=REFUSED,
        finds=exchanges(lambda exchange: exchange.type == "x-delayed-message"),
        text="its plugin cannot run on 4.3 (there is no Mnesia any more): publish with a delay to an ordinary"
        " exchange instead",
    ),
    Rule(
        name="queue-mode",
        product=RABBITMQ,
        since=(4, 3),
        severity=REFUSED,
        finds=queues(lambda _, given: "x-queue-mode" in given),
        text="4.3 refuses any x-queue-mode: take it away, all queues are lazy by now",
    ),
    Rule(
        name="queue-mode",
        product=RABBITMQ,
        since=(3, 12),
        until=(4, 3),
        severity=RISK,
        finds=queues(lambda _, given: "x-queue-mode" in given),
        text="x-queue-mode means nothing since 3.12, and 4.3 refuses it: take it away",
    ),
    Rule(
        name="transient-queue",
        product=RABBITMQ,
        since=(4, 3),
        severity=REFUSED,
        finds=queues(lambda queue, _: not queue.durable and not queue.exclusive),
        text="4.3 denies transient queues that are not exclusive: make it exclusive, or durable with an"
        " x-expires",
    ),
    Rule(
        name="transient-queue",
        product=RABBITMQ,
        until=(4, 3),
        severity=RISK,
        finds=queues(lambda queue, _: not queue.durable and not queue.exclusive),
        text="it is gone with the broker's restart, and 4.3 denies such queues: make it exclusive, or"
        " durable with x-expires",
    ),
    Rule(
        name="priority-of-quorum",
        product=PENSTOCK,
        severity=REFUSED,
        finds=queues(lambda _, given: is_quorum(given) and "x-max-priority" in given),
        text="Penstock refuses x-max-priority for a quorum queue, as RabbitMQ does before 4.0: use a classic"
        " one, which is as safe here",
    ),
    Rule(
        name="priority-of-quorum",
        product=RABBITMQ,
        until=(4, 0),
        severity=REFUSED,
        finds=queues(lambda _, given: is_quorum(given) and "x-max-priority" in given),
        text="quorum queues have no priorities before RabbitMQ 4.0, and refuse x-max-priority:"
        " use a classic one",
    ),
    Rule(
        name="priority-of-quorum",
        product=RABBITMQ,
        since=(4, 0),
        severity=RISK,
        finds=queues(lambda _, given: is_quorum(given) and "x-max-priority" in given),
        text="quorum queues ignore x-max-priority: 4.0 to 4.2 know two levels, 4.3 knows 32, and a message"
        " that comes back loses its own",
    ),
    Rule(
        name="safe-dead-letters",
        product=RABBITMQ,
        severity=RISK,
        finds=queues(lambda _, given: is_quorum(given) and is_unsafe(given)),
        text="at-least-once dead-lettering works only with x-dead-letter-exchange and x-overflow=reject-"
        "publish; without them dead letters can be lost on the way",
    ),
    Rule(
        name="no-home-for-dead-letters",
        product=RABBITMQ,
        since=(4, 0),
        severity=RISK,
        finds=queues(
            lambda _, given: (
                is_quorum(given)
                and "x-dead-letter-exchange" not in given
                and given.get("x-delivery-limit") != -1
            )
        ),
        text="a quorum queue drops a message after 20 failed deliveries: give it x-dead-letter-exchange, or"
        " x-delivery-limit=-1",
    ),
    Rule(
        name="poison",
        product=RABBITMQ,
        severity=NOTE,
        finds=queues(lambda _, given: is_classic(given) and "x-dead-letter-exchange" in given),
        text="a classic queue does not count deliveries: a message that ends its worker's process comes again"
        " without limit. x-queue-type=quorum counts them",
    ),
    Rule(
        name="put-back",
        product=RABBITMQ,
        until=(4, 3),
        severity=NOTE,
        finds=queues(lambda _, given: is_quorum(given) and "x-delivery-limit" in given),
        text="before 4.3 a message that is put back through no fault of its own, as when a consumer pauses or"
        " stops, counts against x-delivery-limit",
    ),
    Rule(
        name="consumer-timeout",
        product=RABBITMQ,
        until=(3, 12),
        severity=RISK,
        finds=queues(lambda _, given: "x-consumer-timeout" in given),
        text="x-consumer-timeout means nothing before 3.12: consumer_timeout of the whole node decides",
    ),
    Rule(
        name="consumer-timeout",
        product=RABBITMQ,
        since=(4, 3),
        severity=RISK,
        finds=queues(lambda _, given: "x-consumer-timeout" in given and not is_quorum(given)),
        text="since 4.3 only quorum queues have a consumer timeout",
    ),
    Rule(
        name="penstock-argument",
        product=RABBITMQ,
        severity=RISK,
        finds=queues(lambda _, given: bool(given.keys() & {"x-template", "x-max-consumers"})),
        text="RabbitMQ ignores x-template and x-max-consumers: say with its own arguments what they mean",
    ),
)
