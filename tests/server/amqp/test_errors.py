from __future__ import annotations

import pytest

from penstock.errors import (
    BadSelector,
    ConstraintBroken,
    Locked,
    NotPermitted,
    PenstockError,
    StoreError,
    UnknownDelivery,
    UnknownProxyClass,
    UnknownQueue,
)
from penstock.server.amqp.errors import ChannelFault, fault_of, precondition
from penstock.wire.amqp.constants import ReplyCode


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotPermitted("no"), 403),
        (UnknownDelivery("no"), 406),
        (UnknownProxyClass("no"), 503),
        (UnknownQueue("no"), 404),
        (Locked("no"), 405),
        (ConstraintBroken("no"), 403),
        (BadSelector("no", statement="x", column=1), 406),
        (StoreError("no"), 541),
    ],
)
def test_each_error_has_its_code(error: PenstockError, code: int) -> None:
    fault = fault_of(error)
    assert (fault.code, fault.detail) == (code, str(error))


def test_a_fault_is_itself() -> None:
    fault = precondition("no")
    assert fault_of(fault) is fault
    assert (fault.code, fault.detail) == (406, "no")


def test_a_long_text_ends_with_dots_where_the_reply_text_ends() -> None:
    fault = ChannelFault(ReplyCode.NOT_FOUND, "x" * 300)
    text = fault.code.text(fault.detail)
    assert len(text) == 255
    assert text.startswith("NOT_FOUND - xxx")
    assert text.endswith("x...")
