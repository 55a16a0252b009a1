from __future__ import annotations

from penstock.server.beanstalk.handling import Handling
from penstock.wiring import Message, Reference


def test_a_job_remembers_what_was_done_to_it() -> None:
    reference = Reference(Message(b""), 1)
    assert Handling.of(reference) == Handling()
    assert reference.notes is None
    Handling(releases=1, buries=2, kicks=3, delay=2**32 - 1).note(reference)
    assert Handling.of(reference) == (1, 2, 3, 2**32 - 1)
    assert reference.noted().remarks == bytes([0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 255, 255, 255, 255])
