from __future__ import annotations

from penstock.wire.amqp.constants import ReplyCode, clipped


def test_soft_errors_close_a_channel_and_hard_ones_the_connection() -> None:
    soft = {code for code in ReplyCode if not code.ends_connection}
    assert soft == {200, 311, 312, 313, 403, 404, 405, 406}


def test_a_reply_text_begins_with_the_name_clients_look_for() -> None:
    assert ReplyCode.NOT_FOUND.text("no queue 'q'") == "NOT_FOUND - no queue 'q'"


def test_a_reply_text_always_fits_a_short_string() -> None:
    assert len(ReplyCode.NOT_FOUND.text("é" * 300).encode()) <= 255
    assert clipped("é" * 128) == "é" * 127
    assert clipped("\udc80") == "?"
