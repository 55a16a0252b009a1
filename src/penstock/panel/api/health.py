"""Health checks: for load balancers and monitors; 200 if all is well, 503 and why if it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.panel.api.changing import desk_in
from penstock.panel.api.listeners import listeners
from penstock.panel.api.nodes import node_name
from penstock.panel.replies import ApiFault, json_reply
from penstock.server.http.durable import durable
from penstock.server.http.publishing import Sender, publish_one
from penstock.server.operations import Operation
from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.methods import QueueDeclare

if TYPE_CHECKING:
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = ["alarms", "aliveness", "connection_limit", "is_well", "port", "protocol", "ready", "virtual_hosts"]

#: RabbitMQ's name for the queue that the aliveness test leaves behind.
ALIVENESS: Final = "aliveness-test"
#: Those of a port.
DIGITS: Final = 5
#: What people call a protocol → what its listener is called.
PROTOCOLS: Final = {"amqp091": "amqp", "amqp0.9.1": "amqp", "amqps": "amqp/ssl", "amqp091s": "amqp/ssl"}


async def alarms(visit: Visit, **names: str) -> Reply:
    """Whether publishers are blocked, for want of memory or disk."""
    reason = visit.front.blocked
    if reason is None:
        return _well()
    return _ill("There are alarms in effect", alarms=[{"node": node_name(), "resource": reason}])


async def is_well(visit: Visit, **names: str) -> Reply:
    """One node that runs: it is critical to nobody."""
    return _well(reason="single node cluster")


async def port(visit: Visit, port: str) -> Reply:
    """Whether something listens on a port."""
    there = sorted({listener.port for listener in listeners(visit)})
    if not (port.isascii() and port.isdecimal() and len(port) <= DIGITS):
        raise ApiFault(400, f"a port is a number up to 65535, not {port[:20]!r}")
    if int(port) in there:
        return _well(port=int(port))
    return _ill("No active listener", missing=int(port), ports=there)


async def protocol(visit: Visit, protocol: str) -> Reply:
    """Whether a protocol is spoken."""
    there = sorted({listener.protocol for listener in listeners(visit)})
    protocol = PROTOCOLS.get(protocol.lower(), protocol)
    if protocol in there:
        return _well(protocol=protocol)
    return _ill("No active listener", missing=protocol, protocols=there)


async def virtual_hosts(visit: Visit) -> Reply:
    """Whether all virtual hosts run."""
    down = [host.name for host in visit.front.access.realm.vhosts if host.name not in visit.broker.hosts]
    return _ill("Some virtual hosts are down", virtual_hosts=down) if down else _well()


async def ready(visit: Visit) -> Reply:
    """Whether clients can come and publish."""
    if visit.front.is_stopping:
        return _ill("the broker is stopping")
    return await alarms(visit)


async def connection_limit(visit: Visit) -> Reply:
    """Whether there is room for another connection."""
    count, limit = len(visit.front.sessions) + len(visit.front.visits), visit.front.settings.max_connections
    told: dict[str, Any] = {"current": count, "limit": limit}
    return _well(**told) if count < limit else _ill("node connection limit is reached", **told)


async def aliveness(visit: Visit, vhost: str) -> Reply:
    """Declare a queue, send a message through it, and get it back."""
    guard = visit.guard(vhost)
    with desk_in(visit, vhost) as desk:
        desk.do(QueueDeclare(ALIVENESS))
        desk.channel.check(Operation.GET, ALIVENESS)
    sender = Sender(front=visit.front, host=visit.host(vhost), guard=guard, user=guard.user)
    await publish_one(sender, "", ALIVENESS, BasicProperties.of(), b"test_message")
    with desk_in(visit, vhost) as desk:
        got = desk.queue(ALIVENESS).get(desk.channel.ledger, visit.broker.now, acks=False)
    await durable(visit.broker)
    return _well() if got is not None else _ill("the message did not come back")


def _well(**more: Any) -> Reply:
    return json_reply({"status": "ok", **more})


def _ill(reason: str, **more: Any) -> Reply:
    return json_reply({"status": "failed", "reason": reason, **more}, 503)
