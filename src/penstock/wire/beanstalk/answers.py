"""Answers: replies as a client reads them, all complete ones of what has come in one pass.

A table says what stands behind each word. What is in no table is no answer: it is given as such, and nothing
after it, since nobody can tell where the next one begins.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

__all__ = ["Answer", "AnswerDecoder", "Word"]


class Word(Enum):
    """What an answer begins with."""

    INSERTED = "INSERTED"
    RESERVED = "RESERVED"
    FOUND = "FOUND"
    OK = "OK"
    USING = "USING"
    WATCHING = "WATCHING"
    BURIED = "BURIED"
    KICKED = "KICKED"
    DELETED = "DELETED"
    RELEASED = "RELEASED"
    TOUCHED = "TOUCHED"
    PAUSED = "PAUSED"
    TIMED_OUT = "TIMED_OUT"
    DEADLINE_SOON = "DEADLINE_SOON"
    NOT_FOUND = "NOT_FOUND"
    NOT_IGNORED = "NOT_IGNORED"
    DRAINING = "DRAINING"
    JOB_TOO_BIG = "JOB_TOO_BIG"
    EXPECTED_CRLF = "EXPECTED_CRLF"
    BAD_FORMAT = "BAD_FORMAT"
    UNKNOWN_COMMAND = "UNKNOWN_COMMAND"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    AUTHENTICATED = "AUTHENTICATED"
    NOT_AUTHENTICATED = "NOT_AUTHENTICATED"
    NOT_PERMITTED = "NOT_PERMITTED"
    #: No server's of this protocol.
    NONSENSE = ""


class Answer(NamedTuple):
    """One reply: its word, the job or the count behind it, and the job's body, the data or the tube."""

    word: Word
    number: int = 0
    body: bytes = b""


class _Behind(NamedTuple):
    """What stands behind a word: so many numbers, of which the last is the size of a body; or a name."""

    counts: tuple[int, ...] = (0,)
    has_body: bool = False
    is_name: bool = False


_NUMBER: Final = _Behind((1,))
# Behind put and kick a number, behind bury and kick-job nothing.
_MAYBE_NUMBER: Final = _Behind((0, 1))
_JOB: Final = _Behind((2,), has_body=True)

_BEHIND: Final = {
    Word.INSERTED: _NUMBER,
    Word.WATCHING: _NUMBER,
    Word.BURIED: _MAYBE_NUMBER,
    Word.KICKED: _MAYBE_NUMBER,
    Word.USING: _Behind((1,), is_name=True),
    Word.RESERVED: _JOB,
    Word.FOUND: _JOB,
    Word.OK: _Behind((1,), has_body=True),
}
_WORDS: Final = {word.value.encode(): word for word in Word if word is not Word.NONSENSE}
#: Answers that are one word, as they are given each time.
_BARE: Final = {
    said: Answer(word) for said, word in _WORDS.items() if 0 in _BEHIND.get(word, _Behind()).counts
}
#: Digits of a number of 64 bits.
_LONGEST: Final = 20
_END: Final = b"\r\n"
#: Bytes of an answer's line; the longest names a tube.
_LINE_MAX: Final = 224
#: Bytes of nonsense that are shown.
_SHOWN: Final = 60


class AnswerDecoder:
    """One server's answers. Feed it with `receive`."""

    __slots__ = ("_has", "_is_lost", "_rest", "_wanted")

    def __init__(self) -> None:
        #: What is not whole yet, in the pieces it came in: how many bytes it has, and how many it needs.
        self._rest: list[bytes] = []
        self._has = self._wanted = 0
        self._is_lost = False

    def __repr__(self) -> str:
        return f"<AnswerDecoder with {self._has} bytes>"

    def receive(self, data: bytes) -> list[Answer]:
        """The answers that are complete now; after nonsense, none."""
        if self._is_lost:
            return []
        if self._rest:
            self._rest.append(data)
            self._has += len(data)
            if self._has < self._wanted:
                return []
            data = b"".join(self._rest)
        answers: list[Answer] = []
        at = 0
        while (end := data.find(_END, at, at + _LINE_MAX)) >= 0:
            after = self._read(data, at, end, answers)
            if after == at:
                break
            at = after
        else:
            self._wanted = 0
            if len(data) - at >= _LINE_MAX:
                self._give_up(data[at:], answers)
        self._rest = [data[at:]] if at < len(data) else []
        self._has = len(data) - at
        return answers

    def _read(self, data: bytes, at: int, end: int, answers: list[Answer]) -> int:
        """Take the answer whose line ends there; where the next begins, or the same if it cannot be taken."""
        line, start = data[at:end], end + 2
        bare = _BARE.get(line)
        if bare is not None:
            answers.append(bare)
            return start
        first, *rest = line.split(b" ")
        word = _WORDS.get(first, Word.NONSENSE)
        behind = _BEHIND.get(word)
        if behind is None or len(rest) not in behind.counts or not (behind.is_name or _are_numbers(rest)):
            self._give_up(line, answers)
            return at
        if not behind.has_body:
            answers.append(Answer(word, 0, rest[0]) if behind.is_name else Answer(word, int(rest[0])))
            return start
        after = start + int(rest[-1]) + 2
        if len(data) < after:
            self._wanted = after - at
            return at
        if data[after - 2 : after] != _END:
            self._give_up(line, answers)
            return at
        answers.append(Answer(word, int(rest[0]) if len(rest) > 1 else 0, data[start : after - 2]))
        return after

    def _give_up(self, said: bytes, answers: list[Answer]) -> None:
        self._is_lost = True
        answers.append(Answer(Word.NONSENSE, 0, said[:_SHOWN]))


def _are_numbers(words: list[bytes]) -> bool:
    return all(word.isdigit() and len(word) <= _LONGEST for word in words)
