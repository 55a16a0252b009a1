"""Jobs in the store: id, time and TTR before the body. Priority and delay stand with the reference."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from penstock.broker.forms import Written
from penstock.server.beanstalk.message import JobMessage, job_terms

if TYPE_CHECKING:
    from penstock.store import Found

__all__ = ["JobForm"]

#: Id, seconds since the epoch when it was put, TTR.
_HEAD: Final = struct.Struct(">QdI")


class JobForm:
    """How a job is written down and read back."""

    #: Never changes its meaning.
    number = 3
    message_type = JobMessage

    def write(self, message: JobMessage) -> Written:
        head = _HEAD.pack(message.id, message.created_at, int(message.terms.lease_in or 1))
        return Written(head + message.body)

    def read(self, found: Found) -> JobMessage:
        number, created_at, ttr = _HEAD.unpack_from(found.content)
        terms = job_terms(found.priority, 0, ttr, persistent=True)
        return JobMessage(found.content[_HEAD.size :], found.destination, terms, number, created_at)
