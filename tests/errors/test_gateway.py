from __future__ import annotations

from penstock.errors import BadChannel, InvalidMessage, RequestRefused


def test_a_refusal_has_the_status_that_the_client_is_told() -> None:
    refused = RequestRefused("no such room", status=404)
    assert (str(refused), refused.status) == ("no such room", 404)


def test_a_bad_channel_is_the_messages_fault_and_is_not_tried_again() -> None:
    assert issubclass(BadChannel, InvalidMessage)
