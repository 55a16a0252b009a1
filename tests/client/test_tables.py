"""Tables from and to a real broker, with those who use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

from penstock.client import writing
from penstock.client.reader import QueueReader
from penstock.client.tables import read_table, taken_table, write_table
from penstock.errors import NotPermitted, PublishLost, ReaderInUse, RowsRefused, UnknownProxy, UnknownQueue
from penstock.wire.amqp import CannotEncode
from penstock.wire.arrow import ALL_COLUMNS
from tests.server.http.served import House

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def house() -> Iterator[House]:
    """A broker with a queue."""
    with House() as house:
        house.fill("q", [])
        yield house


@pytest.mark.parametrize(
    "make",
    [
        lambda: pa.table({"body": ["a", "b"], "priority": [1, None]}),
        lambda: pd.DataFrame({"body": ["a", "b"], "priority": [1, None]}),
        lambda: pl.DataFrame({"body": ["a", "b"], "priority": [1, None]}),
        lambda: pl.DataFrame({"body": [b"a", b"b"], "priority": [1, None]}),
        lambda: duckdb.sql("SELECT * FROM (VALUES ('a', 1), ('b', NULL)) AS t(body, priority)"),
    ],
    ids=["pyarrow", "pandas", "polars", "polars-bytes", "duckdb"],
)
def test_every_kind_of_table_can_be_written(house: House, make: Callable[[], Any]) -> None:
    assert write_table(house.url, make(), routing_key="q") == 2
    found = read_table(house.url, "q", columns=["body", "priority"])
    assert found.to_pydict() == {"body": [b"a", b"b"], "priority": [1, None]}


def test_every_kind_of_user_can_read(house: House) -> None:
    house.fill("q", [b"1", b"2", b"3"])
    found = read_table(house.url, "q", columns=["position", "body"])
    assert found.to_pandas()["position"].sum() == 6
    assert pl.from_arrow(found)["body"].to_list() == [b"1", b"2", b"3"]  # type: ignore[index]
    assert duckdb.from_arrow(found).aggregate("max(decode(body))").fetchall() == [("3",)]


def test_what_was_read_is_gone_and_what_comes_is_next(house: House) -> None:
    house.fill("q", [b"1", b"2", b"3"])
    assert read_table(house.url, "q", rows=2)["position"].to_pylist() == [1, 2]
    assert read_table(house.url, "q")["body"].to_pylist() == [b"3"]
    empty = read_table(house.url, "q")
    assert (empty.num_rows, tuple(empty.schema.names)) == (0, ALL_COLUMNS)


def test_a_block_that_fails_leaves_its_table_for_the_next_one(house: House) -> None:
    house.fill("q", [b"1", b"2"])

    def fail() -> None:
        with taken_table(house.url, "q", rows=1):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with taken_table(house.url, "q") as again:
        assert again["body"].to_pylist() == [b"1"]
    with taken_table(house.url, "q") as following:
        assert following["body"].to_pylist() == [b"2"]


def test_one_block_at_a_time_has_a_name(house: House) -> None:
    house.fill("q", [b"1"])
    with taken_table(house.url, "q"):
        with pytest.raises(ReaderInUse):
            read_table(house.url, "q")
        assert read_table(house.url, "q", reader="other").num_rows == 0


def test_a_table_that_was_read_can_be_written_again(house: House) -> None:
    write_table(
        house.url, pa.table({"body": ["a"], "headers": ['{"n":1}'], "message_id": ["m"]}), routing_key="q"
    )
    first = read_table(house.url, "q")
    assert write_table(house.url, first.to_pandas()) == 1
    second = read_table(house.url, "q")
    kept = [name for name in ALL_COLUMNS if name not in {"position", "arrived"}]
    assert second.select(kept).equals(first.select(kept))


def test_rows_that_were_not_published_are_named_and_all_others_are(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "ROWS", 2)
    keys = ["q", "x", "q", "q", "y", "q", "z", "z", "z", "z"]
    with pytest.raises(
        RowsRefused, match=r"of 10 rows all are published but 6 .*row 1, 4, 6, 7, 8 …"
    ) as caught:
        write_table(house.url, pa.table({"body": list("abcdefghij"), "routing_key": keys}))
    assert (caught.value.unroutable, caught.value.refused) == ([1, 4, 6, 7, 8, 9], [])
    assert read_table(house.url, "q")["body"].to_pylist() == [b"a", b"c", b"d", b"f"]


def test_what_cannot_be_is_told_in_one_sentence(house: House) -> None:
    house.add_user("reader", read=".*")
    table = pa.table({"body": ["a"]})
    with pytest.raises(UnknownQueue, match="no queue 'none'"):
        read_table(house.url, "none")
    with pytest.raises(KeyError, match="colour"):
        read_table(house.url, "q", columns=["colour"])
    with pytest.raises(CannotEncode, match="routing_key"):
        write_table(house.url, table)
    with pytest.raises(UnknownProxy, match="no exchange 'none'"):
        write_table(house.url, table, exchange="none", routing_key="q")
    with pytest.raises(NotPermitted, match="write access"):
        write_table(house.url.replace("guest:guest", "reader:reader"), table, routing_key="q")


def test_a_broker_that_goes_leaves_it_open_which_rows_it_has(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "ROWS", 1)
    requests = iter([pa.record_batch([pa.array(["a"])], ["body"])] * 2)

    def batches() -> Iterator[pa.RecordBatch]:
        yield next(requests)
        house.close()
        yield next(requests)

    reader = pa.RecordBatchReader.from_batches(pa.schema([("body", pa.string())]), batches())
    with pytest.raises(PublishLost, match="1 rows are published, and of the 1 after them nobody can tell"):
        write_table(house.url, reader, routing_key="q")


def test_readers_and_tables_share_what_is_taken(house: House) -> None:
    house.fill("q", [b"1"])
    with QueueReader(house.url, "q", "table") as reader:
        reader.open()
        reader.take(1, 10)
        assert read_table(house.url, "q")["body"].to_pylist() == [b"1"]
        assert reader.state().committed == 1
