"""Where the wiring meets store and time: virtual hosts, turns, group commit, recovery, limits, statistics."""

from penstock.broker.alarms import Alarms, Gauges, total_memory
from penstock.broker.broker import LIVES, Broker, Outlet
from penstock.broker.counts import Counts, Depths, Growth, Passed, Rates
from penstock.broker.definitions import DEFAULT_PROXY
from penstock.broker.forms import Form, Written
from penstock.broker.host import VirtualHost
from penstock.broker.readers import Reader, Readers, Taken
from penstock.broker.recovery import recover
from penstock.broker.seen import HostStatistics, QueueStatistics, ReaderStatistics, Totals
from penstock.broker.statistics import Statistics
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
    "Growth",
    "HostStatistics",
    "Outlet",
    "Passed",
    "QueueStatistics",
    "Rates",
    "Reader",
    "ReaderStatistics",
    "Readers",
    "Statistics",
    "Taken",
    "Totals",
    "VirtualHost",
    "Waiter",
    "Writer",
    "Written",
    "recover",
    "total_memory",
]
