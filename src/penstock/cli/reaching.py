"""How a command reaches the broker it is about: by which URL, and what it tells if nobody is there."""

from __future__ import annotations

import logging
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from penstock.client import BrokerUrl, ClientSettings, connect
from penstock.errors import BadSetting, BadUrl, ClientError, LoginRefused, NotConnected

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from penstock.client import Client
    from penstock.messaging.application import Application

__all__ = ["VARIABLE", "broker_url", "first_of", "maybe_broker_url", "reached"]

#: The environment's word for the broker, as applications read it.
VARIABLE: Final = "MQ_URL"
#: Somebody is waiting at the terminal: a broker that does not answer at once is told at once.
SETTINGS: Final = ClientSettings(
    name="penstock command",
    connect_max_retries=0,
    connect_timeout=5.0,
    answer_timeout=15.0,
    reconnect_max_retries=2,
)


def maybe_broker_url(given: str | None, application: Application | None = None) -> str | None:
    """The broker's URL: as given, or as the application or the environment has it."""
    return given or (application.mq_url if application is not None else None) or os.environ.get(VARIABLE)


def broker_url(given: str | None, application: Application | None = None) -> str:
    """The same, where there must be one.

    Raises:
        BadSetting: nobody has said where the broker is.
    """
    url = maybe_broker_url(given, application)
    if url is None:
        raise BadSetting(
            f"which broker? Name it with --url amqp://user:password@host/ or in {VARIABLE}", setting="url"
        )
    return url


def first_of(url: str) -> BrokerUrl:
    """The first broker of a cluster that is written with commas.

    Raises:
        BadSetting: it cannot be read.
    """
    try:
        return BrokerUrl.parse(url.split(",", maxsplit=1)[0].strip())
    except BadUrl as exc:
        raise BadSetting(str(exc), setting="url") from exc


@asynccontextmanager
async def reached(url: str) -> AsyncIterator[Client]:
    """A client of the broker at a URL.

    Raises:
        BadSetting: the URL cannot be read.
        ClientError: nobody answers there, or does not let this user in; with what to do about it.
    """
    where = first_of(url)
    # What goes wrong is told by the command, once; without a handler Python would print the log as well.
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    try:
        client = await connect([each.strip() for each in url.split(",")], settings=SETTINGS)
    except BadUrl as exc:
        raise BadSetting(str(exc), setting="url") from exc
    except LoginRefused as exc:
        hint = "look at the user, the password and the virtual host in the URL, and at the user's permissions"
        raise LoginRefused(f"{where} does not let {where.user!r} in: {exc}; {hint}") from exc
    except ClientError as exc:
        hint = "is a broker running there, and is that its AMQP port? `penstock broker` starts one"
        raise NotConnected(f"{exc}; {hint}") from exc
    async with client:
        yield client
