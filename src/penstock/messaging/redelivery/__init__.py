"""Redelivery as in Orb: a rejected message comes back at once, then after growing waits.

`orb.redelivery` is the dead-letter home of all queues. What is to happen to a message that arrives there
is decided in decision.py, which is pure; handler.py does it; topology.py says what the broker must have.
Where Orb's page contradicts itself or its code, docs/reference/redelivery.md says what was decided.
"""

from penstock.messaging.redelivery.decision import Abort, Action, Redeliver, Wait, decide
from penstock.messaging.redelivery.handler import RedeliveryHandler
from penstock.messaging.redelivery.policy import RedeliveryPolicy
from penstock.messaging.redelivery.topology import RedeliveryNames, redelivery_topology

__all__ = [
    "Abort",
    "Action",
    "Redeliver",
    "RedeliveryHandler",
    "RedeliveryNames",
    "RedeliveryPolicy",
    "Wait",
    "decide",
    "redelivery_topology",
]
