from __future__ import annotations

from penstock.server.operations import NEEDS, Operation


def test_every_operation_is_in_the_table() -> None:
    assert set(NEEDS) == set(Operation)


def test_every_need_is_of_a_queue_or_an_exchange() -> None:
    assert {need.kind for needs in NEEDS.values() for need in needs} == {"queue", "exchange"}
    assert all(need.actions for needs in NEEDS.values() for need in needs)
