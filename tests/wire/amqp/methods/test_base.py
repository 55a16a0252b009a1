from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from penstock.wire.amqp import methods
from penstock.wire.amqp.constants import Role
from penstock.wire.amqp.encoder import method_frame
from penstock.wire.amqp.methods import (
    METHODS,
    BasicAck,
    BasicCancel,
    BasicDeliver,
    BasicPublish,
    ConnectionSecureOk,
    ConnectionStartOk,
    ConnectionUpdateSecret,
    Method,
    QueueBindOk,
    QueueUnbindOk,
)
from tests.wire.amqp import samples
from tests.wire.amqp.samples import METHOD_CASES, MethodCase


@pytest.mark.parametrize("case", METHOD_CASES, ids=[case.name for case in METHOD_CASES])
def test_a_method_both_ways(case: MethodCase) -> None:
    assert method_frame(case.channel, case.method) == case.raw
    assert type(case.method).codec.decode(case.raw[11:-1]) == case.method
    assert case.method.name == case.name


@given(method=samples.methods)
def test_every_method_comes_back_as_it_went(method: Method) -> None:
    assert type(method).codec.decode(type(method).codec.encode(method)) == method


def test_all_methods_of_the_standard_and_of_rabbitmq_are_there() -> None:
    counts = Counter(method_id >> 16 for method_id in METHODS)
    assert counts == {10: 14, 20: 6, 30: 2, 40: 8, 50: 10, 60: 18, 85: 2, 90: 6}


def test_only_four_methods_carry_content() -> None:
    carrying = {cls.name for cls in METHODS.values() if cls.has_content}
    assert carrying == {"basic.publish", "basic.deliver", "basic.return", "basic.get-ok"}


def test_who_may_receive_what() -> None:
    assert BasicPublish.to is Role.SERVER
    assert BasicDeliver.to is Role.CLIENT
    assert BasicAck.to is BasicCancel.to is Role.BOTH


def test_methods_of_different_classes_differ() -> None:
    assert QueueBindOk() != QueueUnbindOk()  # type: ignore[comparison-overlap]


def test_no_secret_is_shown() -> None:
    shown = repr(
        [
            ConnectionStartOk({}, "PLAIN", b"hush"),
            ConnectionSecureOk(b"hush"),
            ConnectionUpdateSecret(b"hush", ""),
        ]
    )
    assert "hush" not in shown


def test_every_method_is_exported() -> None:
    assert {cls.__name__ for cls in METHODS.values()} | {"METHODS", "Method"} == set(methods.__all__)
