"""Decoder: all complete commands of what has come, in one pass.

A job's body is cut out of the read it came with; one that is too big is passed over without being kept, and
so is a line that does not end. What a client sent wrong becomes a command with the reply to it, so that
replies keep their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.wire.beanstalk import replies
from penstock.wire.beanstalk.commands import Verb, read_line
from penstock.wire.beanstalk.limits import JOB_MAX, LINE_MAX

if TYPE_CHECKING:
    from penstock.wire.beanstalk.commands import Command, PutTerms

__all__ = ["Decoder"]

_END: Final = b"\r\n"
PUT, REFUSED = Verb.PUT, Verb.REFUSED

#: Lines that are remembered as what they were read as, so many at most: a client's are mostly the same few. A
#: run of one command is a run of one object then.
_REPEATED: Final = frozenset({PUT, Verb.RESERVE_WITH_TIMEOUT})
_MOST_KNOWN: Final = 1024


class Decoder:
    """One client's commands. Feed it with `receive`."""

    __slots__ = ("_has", "_is_overlong", "_job_max", "_known", "_rest", "_skip", "_terms", "_wanted")

    def __init__(self, job_max: int = JOB_MAX) -> None:
        self._job_max = job_max
        #: What is not whole yet, in the pieces it came in: how many bytes it has, and how many it needs.
        self._rest: list[bytes] = []
        self._has = self._wanted = 0
        self._known: dict[bytes, Command] = {}
        #: The terms of the job whose body is to come.
        self._terms: PutTerms | None = None
        #: Bytes of a job that is too big, still to be passed over.
        self._skip = 0
        #: Whether a line that is too long has not ended yet.
        self._is_overlong = False

    def __repr__(self) -> str:
        return f"<Decoder with {self._has} bytes, {self._skip} to pass over>"

    def receive(self, data: bytes) -> list[Command]:
        """The commands that are complete now."""
        if self._rest:
            self._rest.append(data)
            self._has += len(data)
            if self._has < self._wanted:
                # A long body that comes in small pieces: looked at when there is enough of it.
                return []
            data = b"".join(self._rest)
        commands: list[Command] = []
        at = 0
        while at < len(data):
            before = at
            if self._skip:
                at = self._pass_over(data, at, commands)
            elif self._is_overlong:
                at = self._end_overlong(data, at, commands)
            elif self._terms is not None:
                at = self._take_body(data, at, self._terms, commands)
            else:
                at = self._read_lines(data, at, commands)
            if at == before:
                break
        self._rest = [data[at:]] if at < len(data) else []
        self._has = len(data) - at
        return commands

    def _read_lines(self, data: bytes, at: int, commands: list[Command]) -> int:
        """Take lines, and jobs that are whole, as long as there is nothing special; where the next begins."""
        find, known, job_max, append = data.find, self._known, self._job_max, commands.append
        while (end := find(_END, at, at + LINE_MAX)) >= 0:
            line = data[at:end]
            command = known.get(line)
            if command is None:
                command = self._read(line)
            at = end + 2
            if command[0] is PUT:
                terms: PutTerms = command[1]
                size = terms[3]
                end = at + size
                if size > job_max or data[end : end + 2] != _END:
                    self._begin_job(terms)
                    break
                append((PUT, (terms, data[at:end])))
                at = end + 2
            else:
                append(command)
        else:
            if len(data) - at >= LINE_MAX:
                self._is_overlong = True
                return self._end_overlong(data, at, commands)
        return at

    def _read(self, line: bytes) -> Command:
        command = read_line(line, self._job_max)
        if command[0] in _REPEATED or command[1] == ():
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[line] = command
        return command

    # What is special

    def _begin_job(self, terms: PutTerms) -> None:
        if terms.size > self._job_max:
            self._skip = terms.size + len(_END)
        else:
            self._terms = terms
            self._wanted = terms.size + len(_END)

    def _take_body(self, data: bytes, at: int, terms: PutTerms, commands: list[Command]) -> int:
        end = at + terms.size
        if len(data) < end + 2:
            return at
        self._terms = None
        self._wanted = 0
        is_whole = data[end : end + 2] == _END
        commands.append((PUT, (terms, data[at:end]) if is_whole else (None, replies.EXPECTED_CRLF)))
        return end + 2

    def _pass_over(self, data: bytes, at: int, commands: list[Command]) -> int:
        passed = min(self._skip, len(data) - at)
        self._skip -= passed
        if not self._skip:
            commands.append((PUT, (None, replies.JOB_TOO_BIG)))
        return at + passed

    def _end_overlong(self, data: bytes, at: int, commands: list[Command]) -> int:
        end = data.find(_END, at)
        if end < 0:
            # All of it goes, but for what may be the first half of its end.
            return len(data) - data.endswith(b"\r")
        self._is_overlong = False
        commands.append((REFUSED, replies.BAD_FORMAT))
        return end + 2
