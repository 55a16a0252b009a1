"""Publish/subscribe: what is published on a channel is fanned out to a pipe for each subscriber.

In Keno Antigen's words, a channel is a fanout exchange of the broker, a pipe is a queue bound to it; nothing
of it is kept in this process, so any number of fan exchanges may run, and a restart loses nothing. A pipe is
on a lease that its consumer renews by being there: when the subscriber is dead for that long, the broker
takes the pipe away with what is in it.
"""

from penstock.workers.fan.channels import LEASE, LONGEST_PIPE, channel_of
from penstock.workers.fan.exchange import FanExchange
from penstock.workers.fan.pipe import Pipe
from penstock.workers.fan.requests import PUBSUB, pubsub

__all__ = ["LEASE", "LONGEST_PIPE", "PUBSUB", "FanExchange", "Pipe", "channel_of", "pubsub"]
