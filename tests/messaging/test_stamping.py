from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import PenstockError
from penstock.messaging import Message
from penstock.messaging.envelope import _encoded, properties_for
from penstock.messaging.stamping import REMEMBERED, _stamps, is_plain

PLAIN = Message(body=b"{}", id="m1", type="ThreadCreated")


@given(
    message=st.builds(
        Message,
        body=st.just(b""),
        id=st.text(st.characters(codec="ascii"), max_size=255),
        type=st.text(max_size=20),
        version=st.integers(1, 2**31),
        content_type=st.sampled_from(["application/json", "text/plain"]),
        timestamp=st.floats(0, 2**40),
        durable=st.booleans(),
    ),
    now=st.floats(0, 2**40),
)
def test_a_stamped_message_has_the_bytes_of_one_that_was_encoded_whole(message: Message, now: float) -> None:
    assert is_plain(message)
    found = properties_for(message, now).raw
    assert found == _encoded(message, int(message.timestamp) or int(now), {}).raw
    assert properties_for(message, now).raw == found


@pytest.mark.parametrize(
    "more",
    [
        {"headers": {"a": 1}},
        {"group": "g"},
        {"priority": 0},
        {"expires_in": 1.0},
        {"correlation_id": "c"},
        {"reply_to": "r"},
        {"content_encoding": "gzip"},
        {"app_id": "a"},
        {"id": "é"},
    ],
)
def test_a_message_that_says_more_is_encoded_whole(more: dict[str, Any]) -> None:
    message = replace(PLAIN, **more)
    assert not is_plain(message)
    assert properties_for(message, 5.0).raw == _encoded(message, 5, {}).raw


def test_what_is_too_long_is_refused_as_ever() -> None:
    with pytest.raises(PenstockError):
        properties_for(replace(PLAIN, id="x" * 300), 5.0)


def test_many_kinds_are_not_remembered_for_ever() -> None:
    for number in range(REMEMBERED + 5):
        properties_for(replace(PLAIN, version=number + 1), 5.0)
    assert len(_stamps) <= REMEMBERED
