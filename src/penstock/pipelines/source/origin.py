"""The origin of a source: which adapter its options ask for, on the driver and on executors."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from penstock.errors import NotConnected
from penstock.pipelines.options import resolve
from penstock.pipelines.source.penstock_taking import PenstockTaking

if TYPE_CHECKING:
    from penstock.pipelines.options import SourceOptions
    from penstock.pipelines.source.taking import Taking

__all__ = ["check_origin", "open_origin"]


def open_origin(options: SourceOptions) -> Taking:
    """The queue that the options name; nothing is asked of it yet."""
    url = resolve(options.url)
    if not options.spool:
        return PenstockTaking(url, options.queue, options.reader, options.partitions)
    # AMQP and its threads are no business of those who read a spool's files.
    from penstock.pipelines.source.spool_taking import SpoolTaking  # noqa: PLC0415
    from penstock.pipelines.spool.amqp import AmqpFeed  # noqa: PLC0415

    folder = Path(options.spool) / quote(options.queue, safe="") / quote(options.reader, safe="")
    return SpoolTaking(folder, partial(AmqpFeed, url, options.queue))


def check_origin(options: SourceOptions) -> None:
    """See that the queue is there and that we may read it; nothing is changed.

    Raises:
        UnknownQueue, LoginRefused, NotPermitted, NotConnected, BadUrl: with one sentence that says all.
    """
    if options.spool:
        from penstock.pipelines.spool.amqp import check  # noqa: PLC0415 (as above)

        check(resolve(options.url), options.queue)
        return
    taking = open_origin(options)
    try:
        taking.open()
    except NotConnected as error:
        raise NotConnected(f"{error}; for a broker other than Penstock, set the option spool") from error
    finally:
        taking.close()
