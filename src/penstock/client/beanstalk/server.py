"""What a beanstalk server says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.client.values import ServerInfo
from penstock.errors import NotConnected
from penstock.wire.beanstalk import JOB_MAX, Verb, Word, read_document
from penstock.wire.beanstalk.requests import request

if TYPE_CHECKING:
    from penstock.client.beanstalk.connection import BeanstalkConnection

__all__ = ["ServerFacts", "ask_server"]


class ServerFacts(NamedTuple):
    """What stats tells, as far as anybody here asks."""

    #: "beanstalkd" or "Penstock".
    product: str = ""
    version: tuple[int, ...] = ()
    #: Another one after each start: beanstalkd without a binlog then counts its jobs from 1 again.
    id: str = ""
    #: Bytes of a job, at most.
    max_job: int = JOB_MAX


async def ask_server(connection: BeanstalkConnection, within: float) -> ServerFacts:
    """What is at the other end of this connection.

    Raises:
        NotConnected: it does not say, or not in so many seconds.
    """
    answer = await connection.ask(request(Verb.STATS), within)
    if answer.word is not Word.OK:
        raise NotConnected(f"the server does not say what it is: {answer.word.value}")
    told = read_document(answer.body)
    name, _, number = told.get("version", "").rpartition(" ")
    most = told.get("max-job-size", "")
    return ServerFacts(
        product="Penstock" if name == "penstock" else "beanstalkd",
        version=ServerInfo.of({"version": number}).version,
        id=told.get("id", ""),
        max_job=int(most) if most.isdecimal() else JOB_MAX,
    )
