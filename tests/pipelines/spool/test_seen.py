from __future__ import annotations

from penstock.pipelines.spool.seen import Seen, key_of


def test_a_message_is_known_by_its_id_and_its_body() -> None:
    assert key_of("a", b"x") == key_of("a", b"x")
    assert key_of("a", b"x") != key_of("a", b"y")
    assert key_of("a", b"x") != key_of("b", b"x")


def test_a_message_without_an_id_is_always_new() -> None:
    seen = Seen()
    seen.add([key_of("", b"x")])

    assert seen.is_new(key_of("", b"x"), set())
    assert len(seen) == 0


def test_what_was_added_is_not_new_and_neither_is_a_second_one_of_the_same_lot() -> None:
    seen = Seen()
    seen.add(["a"])
    lot: set[str] = set()

    assert [seen.is_new(key, lot) for key in ("a", "b", "b", "c")] == [False, True, False, True]


def test_the_oldest_are_forgotten() -> None:
    seen = Seen(most=3)
    seen.add(["a", "b", "c"])
    seen.add(["d"])

    assert seen.is_new("a", set())
    assert not seen.is_new("b", set())
    assert repr(seen) == "<Seen 3 of 3>"
