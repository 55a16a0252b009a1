from __future__ import annotations

from penstock.pipelines.spool.seen import Seen, key_of


def test_a_message_is_known_by_its_id_and_its_body() -> None:
    assert key_of(b"a", b"x") == key_of(b"a", b"x")
    assert key_of(b"a", b"x") != key_of(b"a", b"y")
    assert key_of(b"a", b"x") != key_of(b"b", b"x")


def test_a_message_without_an_id_is_always_new() -> None:
    seen = Seen()
    seen.add([key_of(None, b"x"), key_of(b"", b"x")])

    assert seen.repeated([key_of(None, b"x"), key_of(b"", b"x")]) == set()
    assert len(seen) == 0


def test_what_was_added_is_repeated_and_so_is_a_second_one_of_the_same_lot() -> None:
    seen = Seen()
    seen.add([b"a"])

    assert seen.repeated([b"a", b"b", b"b", b"", b"c", b"", b"b"]) == {0, 2, 6}
    assert seen.repeated([b"b", b"c", b"", b""]) == set()


def test_a_second_one_of_the_same_lot_is_found_among_nothing_but_new_ones() -> None:
    assert Seen().repeated([b"b", b"c", b"b"]) == {2}


def test_the_last_so_many_are_remembered_and_in_the_end_the_oldest_forgotten() -> None:
    seen = Seen(most=3)
    keys = [b"%d" % number for number in range(20)]
    for number, key in enumerate(keys):
        seen.add([key])
        last = keys[max(number - 2, 0) : number + 1]
        assert len(seen.repeated(last)) == len(last)
        assert len(seen) <= 6

    assert seen.repeated(keys[:10]) == set()
    assert repr(seen) == "<Seen 5 of 3>"
