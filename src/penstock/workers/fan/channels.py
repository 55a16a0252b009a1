"""Channels and pipes by name, and what the broker must have for them. Pure.

A channel's name begins with `ps_`, and its pipes are called after it: `ps_building_1`. By that alone a
request to destroy a pipe can never hit a queue of jobs.
"""

from __future__ import annotations

import re
from secrets import randbelow
from typing import TYPE_CHECKING, Final

from penstock.client import Binding, Exchange, Queue
from penstock.errors import BadChannel
from penstock.messaging import Topology
from penstock.messaging.envelope import milliseconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.wire.amqp.table import Table

__all__ = ["LEASE", "LONGEST_PIPE", "channel_of", "channel_topology", "checked", "new_pipe", "pipe_topology"]

#: Seconds that a pipe outlives its last consumer: longer than a restart of its program, or of the broker.
LEASE: Final = 300.0
#: Messages that wait in one pipe at most: a subscriber that hangs but lives does not fill the broker.
LONGEST_PIPE: Final = 100_000

#: Names are short enough for AMQP (255 bytes) with the pipe's part.
_CHANNEL: Final = re.compile(r"ps_[A-Za-z0-9._:-]{1,150}", re.ASCII)
_PIPE: Final = re.compile(rf"({_CHANNEL.pattern})_([A-Za-z0-9.:-]{{1,80}})", re.ASCII)
#: Pipes that nobody has named get a number that no other has, without asking anybody: chance is enough.
_NUMBERS: Final = 2**53


def checked(channel: str) -> str:
    """The channel's name, if it is one.

    Raises:
        BadChannel: it is none.
    """
    if _CHANNEL.fullmatch(channel) is None:
        raise BadChannel(f"{channel!r} is no channel: it begins with ps_ and has letters, digits and . _ : -")
    return channel


def channel_of(pipe: str) -> str:
    """The channel that a pipe belongs to: that of `ps_building_1` is `ps_building`.

    Raises:
        BadChannel: no pipe is called so.
    """
    found = _PIPE.fullmatch(pipe)
    if found is None:
        raise BadChannel(f"{pipe!r} is no pipe: it is called after its channel, such as ps_building_1")
    return found[1]


def new_pipe(channel: str) -> str:
    """A name that no other pipe has."""
    return f"{checked(channel)}_{randbelow(_NUMBERS)}"


def channel_topology(channel: str) -> Topology:
    """What a channel is at the broker."""
    return Topology(exchanges=(Exchange(checked(channel), "fanout"),))


def pipe_topology(
    pipe: str, channels: Sequence[str] = (), *, lease: float = LEASE, length: int = LONGEST_PIPE
) -> Topology:
    """What a pipe is at the broker, with the channels that it takes from: its own, and those named.

    Raises:
        BadChannel: a name is none.
    """
    # A queue's expiry is put off by a consumer, a get or a declaration (RabbitMQ, "Queue TTL"): that is the
    # lease.
    arguments: Table = {"x-expires": milliseconds(lease), "x-max-length": length, "x-overflow": "drop-head"}
    sources = dict.fromkeys([channel_of(pipe), *map(checked, channels)])
    return Topology(
        exchanges=tuple(Exchange(each, "fanout") for each in sources),
        queues=(Queue(pipe, arguments=arguments),),
        bindings=tuple(Binding(each, pipe) for each in sources),
    )
