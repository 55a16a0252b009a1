from __future__ import annotations

import random

from penstock.pipelines.sink.identity import Identities


def ids(contents: list[bytes], query: str = "q", batch: str = "7", partition: int = 1) -> list[str]:
    identities = Identities(query, batch, partition)
    return [identities.next(content) for content in contents]


def test_an_id_goes_with_its_message_wherever_that_stands() -> None:
    contents = [b"%d" % number for number in range(300)]
    found = dict(zip(contents, ids(contents), strict=True))
    random.Random(5).shuffle(contents)

    assert dict(zip(contents, ids(contents), strict=True)) == found


def test_messages_that_say_the_same_have_ids_of_their_own_the_same_ones_in_any_order() -> None:
    found = ids([b"a", b"b", b"a", b"a"])

    assert len(set(found)) == 4
    assert sorted(ids([b"a", b"a", b"b", b"a"])) == sorted(found)
    # One that is not there leaves the others theirs.
    assert set(ids([b"a", b"a"])) < set(found)


def test_every_other_message_has_another() -> None:
    found = [
        each
        for query in ("q", "r")
        for batch in ("1", "2", "11")
        for partition in (0, 1, 11)
        for each in ids([b"%d" % number for number in range(300)], query, batch, partition)
    ]

    assert len(set(found)) == len(found)
    assert all(len(each) < 64 and each.isascii() for each in found)
    # What is put together is not what it is put together of.
    assert ids([b"x"], "a", "b/1", 1) != ids([b"x"], "a/b", "1", 1)
