"""What a broker is: messages, queues, proxies, registrations, templates, consumers. Pure.

No socket, disk, clock or task in here: values go in with the time, values come out. The words are
those of "Dynamic Wiring", from which AMQP came.
"""

from penstock.wiring.backlog import Backlog, MemoryBacklog
from penstock.wiring.connection import Connection
from penstock.wiring.consumer import UNLIMITED, Consumer, Delivery
from penstock.wiring.death import Death, Reason
from penstock.wiring.defaults import Defaults
from penstock.wiring.explain import Explanation, Trial
from penstock.wiring.ledger import Ledger
from penstock.wiring.life import Event, Step
from penstock.wiring.message import LOWEST_PRIORITY, PERSISTENT, PLAIN, Message, Terms
from penstock.wiring.proxies import PROXY_CLASSES
from penstock.wiring.proxy import Proxy
from penstock.wiring.queue import Queue
from penstock.wiring.reader import Reader
from penstock.wiring.reference import Reference, State
from penstock.wiring.registration import Registration, Target
from penstock.wiring.template import OWN_NAME, DeadLetters, DefaultRegistration, Overflow, Template
from penstock.wiring.watched import WatchedWiring
from penstock.wiring.wiring import Published, Wiring

__all__ = [
    "LOWEST_PRIORITY",
    "OWN_NAME",
    "PERSISTENT",
    "PLAIN",
    "PROXY_CLASSES",
    "UNLIMITED",
    "Backlog",
    "Connection",
    "Consumer",
    "DeadLetters",
    "Death",
    "DefaultRegistration",
    "Defaults",
    "Delivery",
    "Event",
    "Explanation",
    "Ledger",
    "MemoryBacklog",
    "Message",
    "Overflow",
    "Proxy",
    "Published",
    "Queue",
    "Reader",
    "Reason",
    "Reference",
    "Registration",
    "State",
    "Step",
    "Target",
    "Template",
    "Terms",
    "Trial",
    "WatchedWiring",
    "Wiring",
]
