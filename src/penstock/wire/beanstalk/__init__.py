"""The beanstalk protocol as beanstalkd 1.13 speaks it: bytes in, commands out, and replies back.

A server feeds a `Decoder` with what its socket reads, gets the commands of it in order, and answers each with
something from `replies`. Pure: no I/O, no clock, no queue.
"""

from penstock.wire.beanstalk import replies
from penstock.wire.beanstalk.commands import Command, PutTerms, Verb
from penstock.wire.beanstalk.decoder import Decoder
from penstock.wire.beanstalk.limits import JOB_MAX, LINE_MAX, NAME_MAX, is_tube_name
from penstock.wire.beanstalk.yaml import document, listing

__all__ = [
    "JOB_MAX",
    "LINE_MAX",
    "NAME_MAX",
    "Command",
    "Decoder",
    "PutTerms",
    "Verb",
    "document",
    "is_tube_name",
    "listing",
    "replies",
]
