"""What beanstalk cannot do, told before an application starts. Rules as data, as the doctor has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import NotPortable
from penstock.messaging.doctor.finding import Severity
from penstock.messaging.doctor.rule import Rule, bindings, exchanges, queues
from penstock.wire.beanstalk import is_tube_name

if TYPE_CHECKING:
    from penstock.messaging.topology.model import Topology

__all__ = ["BEANSTALK_RULES", "demand_tubes"]

#: Arguments of a queue that a tube needs not be told, or that are kept here: priorities it has, what nobody
#: uses goes by itself, and dead letters go to the home that is named.
_KEPT: Final = frozenset(
    {"x-max-priority", "x-expires", "x-dead-letter-exchange", "x-dead-letter-routing-key", "x-queue-type"}
)


def _is_elsewhere(arguments: dict[str, Any]) -> bool:
    """Whether dead letters are to go through an exchange."""
    home = arguments.get("x-dead-letter-exchange")
    return home is not None and (home != "" or "x-dead-letter-routing-key" not in arguments)


BEANSTALK_RULES: Final = (
    Rule(
        name="no-exchanges",
        severity=Severity.REFUSED,
        finds=exchanges(lambda _: True),
        text="beanstalk has tubes and no exchanges: publish to queues by name, as workers do, or give the"
        " application an AMQP broker",
    ),
    Rule(
        name="no-bindings",
        severity=Severity.REFUSED,
        finds=bindings(lambda _: True),
        text="beanstalk has no bindings: publish to queues by name, or give the application an AMQP broker",
    ),
    Rule(
        name="tube-name",
        severity=Severity.REFUSED,
        finds=queues(lambda queue, _: not is_tube_name(queue.name)),
        text="a tube's name is 1 to 200 of A-Z a-z 0-9 + / ; . $ _ ( ) and -, which it does not begin with",
    ),
    Rule(
        name="no-owners",
        severity=Severity.REFUSED,
        finds=queues(lambda queue, _: queue.exclusive),
        text="a tube is everybody's: it cannot be exclusive",
    ),
    Rule(
        name="argument",
        severity=Severity.REFUSED,
        finds=queues(lambda _, given: bool(given.keys() - _KEPT)),
        text="a tube has no limits, times to live and the like: take away all arguments but"
        f" {', '.join(sorted(_KEPT))}",
    ),
    Rule(
        name="only-classic",
        severity=Severity.REFUSED,
        finds=queues(lambda _, given: given.get("x-queue-type", "classic") != "classic"),
        text="beanstalk has neither quorum queues nor streams: take x-queue-type away",
    ),
    Rule(
        name="home-by-name",
        severity=Severity.REFUSED,
        finds=queues(lambda _, given: _is_elsewhere(given)),
        text="dead letters go to a tube by name: x-dead-letter-exchange must be empty, and"
        " x-dead-letter-routing-key name the tube",
    ),
)


def demand_tubes(topology: Topology) -> None:
    """Refuse what tubes cannot be.

    Raises:
        NotPortable: naming everything that stands in the way.
    """
    refused = [f"{subject}: {rule.text}" for rule in BEANSTALK_RULES for subject in rule.finds(topology)]
    if refused:
        raise NotPortable("; ".join(refused))
