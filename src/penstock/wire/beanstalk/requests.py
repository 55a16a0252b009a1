"""Requests: commands as a client writes them, by the verbs that a server reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.wire.beanstalk.commands import Verb

__all__ = ["put", "request"]


def request(verb: Verb, *words: int | str) -> bytes:
    """A command that is one line; the words are as the verb takes them."""
    return f"{' '.join([verb.value.rstrip(), *map(str, words)])}\r\n".encode()


def put(body: bytes, *, priority: int, delay: int, ttr: int) -> bytes:
    """A job for the tube that is in use.

    Args:
        body: The whole of it.
        priority: The most urgent is 0.
        delay: Seconds until it is ready.
        ttr: Seconds a worker has for it.
    """
    return b"put %d %d %d %d\r\n%b\r\n" % (priority, delay, ttr, len(body), body)
