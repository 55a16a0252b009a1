"""A job that is to be put."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["DEFAULT_TTR", "OutgoingJob"]

#: Seconds: Keno Antigen's time to run, and beanstalk workers' habit.
DEFAULT_TTR: Final = 120


class OutgoingJob(NamedTuple):
    """What it is, and how it is to be treated."""

    tube: str
    body: bytes
    #: The most urgent is 0.
    priority: int = 2**16
    #: Whole seconds until it is ready.
    delay: int = 0
    #: Whole seconds after which a silent worker has lost it.
    ttr: int = DEFAULT_TTR
    #: Whether a tube that is not there is an error; else it is made.
    mandatory: bool = False
