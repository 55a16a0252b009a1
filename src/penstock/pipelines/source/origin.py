"""The origin of a source: which adapter its options ask for, on the driver and on executors."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from penstock.client.schemes import is_beanstalk
from penstock.errors import BadSetting, NotConnected
from penstock.pipelines.options import resolve
from penstock.pipelines.source.penstock_taking import PenstockTaking

if TYPE_CHECKING:
    from penstock.pipelines.options import SourceOptions
    from penstock.pipelines.source.taking import Taking
    from penstock.pipelines.spool.feed import Feed

__all__ = ["check_origin", "open_origin", "spool_of"]


def open_origin(options: SourceOptions) -> Taking:
    """The queue that the options name; nothing is asked of it yet.

    Raises:
        BadSetting: it cannot be read like that.
    """
    url = resolve(options.url)
    if not options.spool:
        if is_beanstalk(url):
            raise BadSetting(
                "a beanstalk server is read by way of a folder: set the option spool", setting="spool"
            )
        return PenstockTaking(url, options.queue, options.reader, options.partitions)
    # Brokers and their threads are no business of those who read a spool's files.
    from penstock.pipelines.source.spool_taking import SpoolTaking  # noqa: PLC0415

    limits = {"max_rows": options.max_rows, "max_bytes": options.max_bytes}
    return SpoolTaking(spool_of(options), partial(_feed, url, options.queue), **limits)


def spool_of(options: SourceOptions) -> Path:
    """The folder of one reader's spool, in that of all."""
    return Path(options.spool or "") / quote(options.queue, safe="") / quote(options.reader, safe="")


def _feed(url: str, queue: str) -> Feed:
    if is_beanstalk(url):
        from penstock.pipelines.spool.beanstalk import BeanstalkFeed  # noqa: PLC0415 (as above)

        return BeanstalkFeed(url, queue)
    from penstock.pipelines.spool.amqp import AmqpFeed  # noqa: PLC0415

    return AmqpFeed(url, queue)


def check_origin(options: SourceOptions) -> None:
    """See that the queue is there and that we may read it; nothing is changed.

    Raises:
        UnknownQueue, LoginRefused, NotPermitted, NotConnected, BadUrl, BadSetting: and what to do about it.
    """
    if options.spool:
        _check_spooled(resolve(options.url), options.queue)
        return
    taking = open_origin(options)
    try:
        taking.open()
    except NotConnected as error:
        raise NotConnected(f"{error}; for a broker other than Penstock, set the option spool") from error
    finally:
        taking.close()


def _check_spooled(url: str, queue: str) -> None:
    if is_beanstalk(url):
        from penstock.pipelines.spool import beanstalk  # noqa: PLC0415 (as above)

        beanstalk.check(url, queue)
        return
    from penstock.pipelines.spool import amqp  # noqa: PLC0415

    amqp.check(url, queue)
