"""Commands: what a line of the protocol asks for, or the reply to one that cannot be.

A table says how each verb's line begins and how the rest of it is read. It is beanstalkd's own reading, down
to where it is lenient (spaces before a number, anything after the bound of kick): clients may rely on it, and
a reply must not depend on who serves.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from penstock.wire.beanstalk import replies
from penstock.wire.beanstalk.limits import LARGEST_32, LARGEST_64, is_tube_name

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Command", "PutTerms", "Verb", "read_line"]


class Verb(Enum):
    """What a client may ask for; the value is how a line that does begins."""

    PUT = "put "
    PEEK = "peek "
    PEEK_READY = "peek-ready"
    PEEK_DELAYED = "peek-delayed"
    PEEK_BURIED = "peek-buried"
    RESERVE_WITH_TIMEOUT = "reserve-with-timeout "
    RESERVE_JOB = "reserve-job "
    RESERVE = "reserve"
    DELETE = "delete "
    RELEASE = "release "
    BURY = "bury "
    KICK = "kick "
    KICK_JOB = "kick-job "
    TOUCH = "touch "
    STATS_JOB = "stats-job "
    STATS_TUBE = "stats-tube "
    STATS = "stats"
    USE = "use "
    WATCH = "watch "
    IGNORE = "ignore "
    LIST_TUBES_WATCHED = "list-tubes-watched"
    LIST_TUBE_USED = "list-tube-used"
    LIST_TUBES = "list-tubes"
    QUIT = "quit"
    PAUSE_TUBE = "pause-tube"
    #: Ours: who the client is.
    AUTH = "auth "
    #: No client's: a line, or a job, that is answered with what stands beside it.
    REFUSED = ""


#: A verb and what it takes: nothing, a number, a name, or several of these.
Command: TypeAlias = tuple[Verb, Any]


class PutTerms(NamedTuple):
    """How a job is to be treated, and how long it is."""

    priority: int
    #: Seconds until it is ready.
    delay: int
    #: Seconds a worker has for it.
    ttr: int
    size: int


#: Digits of a number that cannot be too large any more.
_SURELY_64: Final = 20
_NUMBER: Final = re.compile(r" *([0-9]+)")
_FOUR: Final = re.compile(r"(?: *[0-9]+){4}")
_SIGNED: Final = re.compile(r"[ \t\n\v\f\r]*([+-]?)([0-9]+)")
_PAUSE: Final = re.compile(r" *([A-Za-z0-9+/;.$_()-]+)(.*)", re.DOTALL)


def _numbers(rest: str, *most: int) -> list[int] | None:
    """As many numbers as there are limits, and nothing after them; None if it is not so."""
    found = []
    at = 0
    for limit in most:
        match = _NUMBER.match(rest, at)
        if match is None or int(match[1]) > limit:
            return None
        found.append(int(match[1]))
        at = match.end()
    return found if at == len(rest) else None


def _nothing(rest: str) -> Any:
    return None if rest else ()


def _anything(_rest: str) -> Any:
    return ()


def _id(rest: str) -> Any:
    if rest.isdecimal() and len(rest) < _SURELY_64 and rest.isascii():
        # The usual case, at a third of the price.
        return int(rest)
    found = _numbers(rest, LARGEST_64)
    return None if found is None else found[0]


def _id_priority(rest: str) -> Any:
    return _numbers(rest, LARGEST_64, LARGEST_32)


def _id_priority_delay(rest: str) -> Any:
    return _numbers(rest, LARGEST_64, LARGEST_32, LARGEST_32)


def _timeout(rest: str) -> Any:
    match = _NUMBER.match(rest)
    # A C int; what follows it nobody looks at.
    return int(match[1]) if match and int(match[1]) < 2**31 else None


def _bound(rest: str) -> Any:
    match = _SIGNED.match(rest)
    if match is None or int(match[2]) > LARGEST_64:
        return None
    # C's strtoul, which takes a sign and turns round, cut to 32 bits.
    return int(match[1] + match[2]) & LARGEST_32


def _name(rest: str) -> Any:
    return rest if is_tube_name(rest) else None


def _name_delay(rest: str) -> Any:
    match = _PAUSE.fullmatch(rest)
    delay = _numbers(match[2], LARGEST_32) if match else None
    return (match[1], delay[0]) if match and delay and is_tube_name(match[1]) else None


def _two_words(rest: str) -> Any:
    words = rest.split(" ")
    return tuple(words) if len(words) == 2 and all(words) else None


#: In the order in which they are tried: one may begin as another does. A reader says None if it cannot be.
_READERS: Final[dict[Verb, Callable[[str], Any]]] = {
    Verb.PEEK: _id,
    Verb.PEEK_READY: _nothing,
    Verb.PEEK_DELAYED: _nothing,
    Verb.PEEK_BURIED: _nothing,
    Verb.RESERVE_WITH_TIMEOUT: _timeout,
    Verb.RESERVE_JOB: _id,
    Verb.RESERVE: _nothing,
    Verb.DELETE: _id,
    Verb.RELEASE: _id_priority_delay,
    Verb.BURY: _id_priority,
    Verb.KICK: _bound,
    Verb.KICK_JOB: _id,
    Verb.TOUCH: _id,
    Verb.STATS_JOB: _id,
    Verb.STATS_TUBE: _name,
    Verb.STATS: _nothing,
    Verb.USE: _name,
    Verb.WATCH: _name,
    Verb.IGNORE: _name,
    Verb.LIST_TUBES_WATCHED: _nothing,
    Verb.LIST_TUBE_USED: _nothing,
    Verb.LIST_TUBES: _nothing,
    Verb.QUIT: _anything,
    Verb.PAUSE_TUBE: _name_delay,
    Verb.AUTH: _two_words,
}
#: By the first letters of a line, which every verb has so many of: what it may be, in that order.
_LETTERS: Final = 3
_BY_LETTERS: Final = {
    verb.value[:_LETTERS]: [
        (other.value, other, read)
        for other, read in _READERS.items()
        if other.value[:_LETTERS] == verb.value[:_LETTERS]
    ]
    for verb in _READERS
}
_BAD_FORMAT: Final[Command] = (Verb.REFUSED, replies.BAD_FORMAT)
_UNKNOWN: Final[Command] = (Verb.REFUSED, replies.UNKNOWN_COMMAND)


def read_line(line: bytes, job_max: int) -> Command:
    """The command of one line, its end not included."""
    # Nothing in the protocol is beyond ASCII; what is fits no pattern.
    text = line.decode("latin-1")
    if "\0" in text:
        return _BAD_FORMAT
    if text.startswith(Verb.PUT.value):
        return _read_put(text, job_max)
    for start, verb, read in _BY_LETTERS.get(text[:_LETTERS], ()):
        if text.startswith(start):
            taken = read(text[len(start) :])
            return _BAD_FORMAT if taken is None else (verb, taken)
    return _UNKNOWN


def _read_put(text: str, job_max: int) -> Command:
    rest = text[len(Verb.PUT.value) :]
    numbers = _numbers(rest, LARGEST_32, LARGEST_32, LARGEST_32, LARGEST_32)
    if numbers is None:
        # One that is too big is refused for that, whatever else its line says.
        words = _FOUR.match(rest)
        numbers = _numbers(words[0], LARGEST_32, LARGEST_32, LARGEST_32, LARGEST_32) if words else None
        if numbers is None or numbers[3] <= job_max:
            return _BAD_FORMAT
    return Verb.PUT, PutTerms(*numbers)
