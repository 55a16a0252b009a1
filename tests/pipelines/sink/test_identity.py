from __future__ import annotations

from penstock.pipelines.sink.identity import ids_of


def test_the_same_row_of_the_same_batch_has_the_same_id() -> None:
    assert ids_of("q", "7", 1)(5) == ids_of("q", "7", 1)(5)


def test_every_other_row_has_another() -> None:
    ids = {
        ids_of(query, batch, partition)(row)
        for query in ("q", "r")
        for batch in ("1", "2", "11")
        for partition in (0, 1, 11)
        for row in range(300)
    }

    assert len(ids) == 2 * 3 * 3 * 300
    assert all(len(each) < 64 and each.isascii() for each in ids)
