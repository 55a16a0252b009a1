"""Where the wiring meets store and time: virtual hosts, turns, group commit, recovery, limits, statistics."""

from penstock.broker.alarms import Alarms, Gauges, total_memory
from penstock.broker.broker import LIVES, Broker, Outlet
from penstock.broker.definitions import DEFAULT_PROXY
from penstock.broker.forms import Form, Written
from penstock.broker.host import VirtualHost
from penstock.broker.readers import Reader, Readers, Taken
from penstock.broker.recovery import recover
from penstock.broker.statistics import (
    Counts,
    Depths,
    HostStatistics,
    QueueStatistics,
    Rates,
    ReaderStatistics,
    Statistics,
)
from penstock.broker.writer import Waiter, Writer

__all__ = [
    "DEFAULT_PROXY",
    "LIVES",
    "Alarms",
    "Broker",
    "Counts",
    "Depths",
    "Form",
    "Gauges",
    "HostStatistics",
    "Outlet",
    "QueueStatistics",
    "Rates",
    "Reader",
    "ReaderStatistics",
    "Readers",
    "Statistics",
    "Taken",
    "VirtualHost",
    "Waiter",
    "Writer",
    "Written",
    "recover",
    "total_memory",
]
