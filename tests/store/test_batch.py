from __future__ import annotations

from penstock.store import Batch


def test_an_empty_batch_is_false_and_says_so() -> None:
    assert not Batch(7)
    assert repr(Batch(7)) == "<Batch 7: nothing>"


def test_a_batch_with_anything_in_it_is_true_and_says_what() -> None:
    batch = Batch(7, dropped=[1], undefined=[("queue", "a"), ("queue", "b")])
    assert batch
    assert repr(batch) == "<Batch 7: 1 dropped, 2 undefined>"
