from __future__ import annotations

from penstock.wiring import Message, Step
from penstock.wiring.life import Diary, Event


def test_a_diary_is_taken_once_in_order() -> None:
    diary, message = Diary("lives"), Message(b"a", destination="q")
    message.proxy = "x"
    diary.note(Step.PUBLISHED, message)
    diary.note(Step.DEAD, message, "q", "me", 2, "expired")
    assert diary.take() == [
        Event(Step.PUBLISHED, message),
        Event(Step.DEAD, message, "q", "me", 2, "expired"),
    ]
    assert diary.take() == []


def test_a_diary_does_not_tell_of_itself() -> None:
    diary, message = Diary("lives"), Message(b"a", destination="q")
    message.proxy = "lives"
    diary.note(Step.PUBLISHED, message)
    assert diary.take() == []
