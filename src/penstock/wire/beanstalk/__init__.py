"""The beanstalk protocol as beanstalkd 1.13 speaks it, in both roles.

A server feeds a `Decoder` with what its socket reads, gets the commands of it in order, and answers each with
something from `replies`. A client writes what `requests` makes, and feeds an `AnswerDecoder`; answers come in
the order of what was asked. Pure: no I/O, no clock, no queue.
"""

from penstock.wire.beanstalk import replies, requests
from penstock.wire.beanstalk.answers import Answer, AnswerDecoder, Word
from penstock.wire.beanstalk.commands import Command, PutTerms, Verb
from penstock.wire.beanstalk.decoder import Decoder
from penstock.wire.beanstalk.limits import JOB_MAX, LINE_MAX, NAME_MAX, is_tube_name
from penstock.wire.beanstalk.yaml import document, listing, read_document

__all__ = [
    "JOB_MAX",
    "LINE_MAX",
    "NAME_MAX",
    "Answer",
    "AnswerDecoder",
    "Command",
    "Decoder",
    "PutTerms",
    "Verb",
    "Word",
    "document",
    "is_tube_name",
    "listing",
    "read_document",
    "replies",
    "requests",
]
