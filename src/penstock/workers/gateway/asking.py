"""Who asked: a job's id tells it, so that whichever gateway gets the reply knows whom it is for. Pure.

Nothing is kept between a request and its reply. The gateway that took the request may be dead by then.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import quote, unquote

import msgspec

from penstock.errors import InvalidMessage, RequestRefused
from penstock.workers.form import UserId  # noqa: TC001  a field is read by its annotation
from penstock.workers.gateway.envelope import Fanned
from penstock.workers.reply import DONE, FAILED, PROGRESS
from penstock.workers.reply import Reply as JobReply

__all__ = ["Asker", "fanned_reply"]

MARK: Final = "ws"
#: Parts of an id that every request has.
NAMED: Final = 3
#: AMQP 0-9-1 §4.2.5.3: a short string.
LONGEST: Final = 255

#: What a worker says of a job, as a status.
STATUSES: Final = {PROGRESS: 102, DONE: 200, FAILED: 500}

_job_reply: Final = msgspec.json.Decoder(JobReply).decode


class Asker(NamedTuple):
    """A client's request, as far as its reply goes."""

    user_id: UserId
    client_code: str
    msg_id: str | int | None
    #: What tells it from others, unless the client has named both itself and the request.
    nonce: str = ""

    @property
    def job_id(self) -> str:
        """The id of the job. The same request sent twice is one job twice: idempotent handlers do it once.

        That takes a client that names itself and its requests; what has no name is another each time.

        Raises:
            RequestRefused: the names are too long for it.
        """
        parts = [quote(msgspec.json.encode(each), safe="") for each in (self if self.nonce else self[:NAMED])]
        made = "/".join((MARK, *parts))
        if len(made) > LONGEST:
            raise RequestRefused("user id, clientCode and msgId are too long together", status=400)
        return made

    @classmethod
    def of(cls, user_id: UserId, client_code: str, msg_id: str | int | None, nonce: str) -> Asker:
        """Who asks now; the nonce is for those who have not named themselves or their request."""
        has_names = client_code and msg_id is not None
        return cls(user_id, client_code, msg_id, "" if has_names else nonce)

    @classmethod
    def maybe_of(cls, job_id: str | None) -> Asker | None:
        """Who asked for the job; None if it was no client."""
        mark, *parts = (job_id or "").split("/")
        if mark != MARK or not NAMED <= len(parts) <= len(cls._fields):
            return None
        try:
            return cls(*(msgspec.json.decode(unquote(part)) for part in parts))
        except msgspec.DecodeError:
            return None


def fanned_reply(body: bytes, correlation_id: str | None) -> Fanned:
    """What a worker says about a client's job, for the client that asked.

    A worker of ours speaks as penstock.workers.reply does; another may send `{status?, message?, content}`
    with the job's correlation id. What has none is a message for a user or a room, as in Keno Antigen.

    Raises:
        InvalidMessage: it is none of these.
    """
    try:
        asker = Asker.maybe_of(correlation_id)
        if asker is None:
            return _addressed(msgspec.json.decode(body, type=Fanned))
        found = msgspec.json.decode(body)
        if isinstance(found, dict) and "state" in found:
            told = _job_reply(body)
            status, message, content = told.status or STATUSES[told.state], told.error, told.value
        else:
            given = msgspec.json.decode(body, type=Fanned)
            status, message, content = given.status or 200, given.message, given.content
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise InvalidMessage(f"no reply can be read from it: {exc}") from exc
    return Fanned(
        user_id=asker.user_id,
        client_code=asker.client_code,
        msg_id=asker.msg_id,
        status=status,
        message=message,
        content=content,
    )


def _addressed(fanned: Fanned) -> Fanned:
    if fanned.user_id is None and not fanned.room:
        raise InvalidMessage("the message says neither user_id nor room: nobody can get it")
    return fanned
