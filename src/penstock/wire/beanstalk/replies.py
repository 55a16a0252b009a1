"""Replies, as they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from penstock.wire.beanstalk.answers import Word

__all__ = [
    "AUTHENTICATED",
    "BAD_FORMAT",
    "BURIED",
    "DEADLINE_SOON",
    "DELETED",
    "DRAINING",
    "EXPECTED_CRLF",
    "INTERNAL_ERROR",
    "JOB_TOO_BIG",
    "KICKED",
    "NOT_AUTHENTICATED",
    "NOT_FOUND",
    "NOT_IGNORED",
    "NOT_PERMITTED",
    "OUT_OF_MEMORY",
    "PAUSED",
    "RELEASED",
    "TIMED_OUT",
    "TOUCHED",
    "UNKNOWN_COMMAND",
    "chunk",
    "found",
    "head",
    "inserted",
    "kicked",
    "reserved",
    "using",
    "watching",
]

BAD_FORMAT: Final = b"BAD_FORMAT\r\n"
BURIED: Final = b"BURIED\r\n"
DEADLINE_SOON: Final = b"DEADLINE_SOON\r\n"
DELETED: Final = b"DELETED\r\n"
DRAINING: Final = b"DRAINING\r\n"
EXPECTED_CRLF: Final = b"EXPECTED_CRLF\r\n"
INTERNAL_ERROR: Final = b"INTERNAL_ERROR\r\n"
JOB_TOO_BIG: Final = b"JOB_TOO_BIG\r\n"
KICKED: Final = b"KICKED\r\n"
NOT_FOUND: Final = b"NOT_FOUND\r\n"
NOT_IGNORED: Final = b"NOT_IGNORED\r\n"
OUT_OF_MEMORY: Final = b"OUT_OF_MEMORY\r\n"
PAUSED: Final = b"PAUSED\r\n"
RELEASED: Final = b"RELEASED\r\n"
TIMED_OUT: Final = b"TIMED_OUT\r\n"
TOUCHED: Final = b"TOUCHED\r\n"
UNKNOWN_COMMAND: Final = b"UNKNOWN_COMMAND\r\n"

# Ours: beanstalkd knows no users.
AUTHENTICATED: Final = b"AUTHENTICATED\r\n"
NOT_AUTHENTICATED: Final = b"NOT_AUTHENTICATED\r\n"
NOT_PERMITTED: Final = b"NOT_PERMITTED\r\n"


def inserted(job: int) -> bytes:
    """A job has come in."""
    return b"INSERTED %d\r\n" % job


def reserved(job: int, body: bytes) -> bytes:
    """A job for this client."""
    return b"RESERVED %d %d\r\n%b\r\n" % (job, len(body), body)


def found(job: int, body: bytes) -> bytes:
    """A job to look at."""
    return b"FOUND %d %d\r\n%b\r\n" % (job, len(body), body)


def head(word: Word, job: int, size: int) -> bytes:
    """RESERVED or FOUND, if the body follows by and by."""
    return b"%b %d %d\r\n" % (word.value.encode(), job, size)


def kicked(count: int) -> bytes:
    """So many are ready again."""
    return b"KICKED %d\r\n" % count


def using(tube: str) -> bytes:
    """Jobs go to this tube."""
    return b"USING %b\r\n" % tube.encode()


def watching(count: int) -> bytes:
    """Jobs come from so many tubes."""
    return b"WATCHING %d\r\n" % count


def chunk(data: bytes) -> bytes:
    """Data that was asked for."""
    return b"OK %d\r\n%b\r\n" % (len(data), data)
