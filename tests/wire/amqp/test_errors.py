from __future__ import annotations

from penstock.errors import PenstockError
from penstock.wire.amqp.errors import CannotEncode, Malformed


def test_both_are_penstocks_and_a_values_fault() -> None:
    for error in (CannotEncode, Malformed):
        assert issubclass(error, PenstockError)
        assert issubclass(error, ValueError)
