from __future__ import annotations

from penstock.wire import amqp


def test_everything_promised_is_there() -> None:
    assert all(hasattr(amqp, name) for name in amqp.__all__)
    assert (
        sorted(amqp.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
        == amqp.__all__
    )
