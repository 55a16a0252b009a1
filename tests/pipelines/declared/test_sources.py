"""What sources say before anything starts; that they can be read is shown where pipelines run."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from penstock.errors import BadPipeline
from penstock.pipelines.declared import Files, Queue, Rate
from penstock.pipelines.declared.sources import absolute
from penstock.pipelines.options import SourceOptions


class Thread(msgspec.Struct):
    id: int


def test_a_queue_is_read_under_the_pipelines_name_from_where_the_environment_says() -> None:
    assert Queue("threads").options("loud") == {
        "url": "env:MQ_URL",
        "queue": "threads",
        "reader": "loud",
        "max_rows": "100000",
        "partitions": "2",
    }


def test_all_that_is_said_of_a_queue_is_told_to_spark(tmp_path: Path) -> None:
    queue = Queue(
        "threads",
        Thread,
        url="amqp://here",
        reader="mine",
        max_rows=5,
        max_bytes=6,
        partitions=7,
        columns=("position", "header_tenant"),
        spool=tmp_path,
    )
    read = SourceOptions.read(queue.options("loud"))
    assert (read.reader, read.max_rows, read.max_bytes, read.partitions) == ("mine", 5, 6, 7)
    assert (read.schema_type, read.spool) == (f"{__name__}.Thread", str(tmp_path))
    assert read.columns == ("position", "header_tenant")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (Rate(rows_per_batch=0), "pipeline loud: a rate has at least one row"),
        (Files("nowhere", "id LONG"), "pipeline loud: there is no folder nowhere"),
        (Queue("threads", url="http://here"), "pipeline loud: option url: "),
        (Queue("threads", max_rows=0), "pipeline loud: option max_rows: is a whole number from 1 on"),
        (Queue("threads"), "pipeline loud: url: the environment variable MQ_URL is not set"),
        (Queue("threads", url="amqp://127.0.0.1:1/"), "pipeline loud: .*127.0.0.1:1"),
    ],
)
def test_what_cannot_be_read_is_told_before_anything_starts(
    source: Rate | Files | Queue, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MQ_URL", raising=False)
    with pytest.raises(BadPipeline, match=told):
        source.check("loud")


def test_what_can_be_read_is_no_trouble(tmp_path: Path) -> None:
    Rate().check("loud")
    Files(tmp_path, "id LONG").check("loud")
    Files("s3://elsewhere", "id LONG").check("loud")


@pytest.mark.parametrize(
    ("source", "shown", "after_reset"),
    [
        (Rate(), "rate of 10", "it counts from 0 again"),
        (Files("in", "id LONG"), "json in in", "it reads every file in in again"),
        (Queue("threads"), "queue threads", "it begins with what the broker has not seen committed"),
    ],
)
def test_a_source_says_what_it_is_in_a_few_words(
    source: Rate | Files | Queue, shown: str, after_reset: str
) -> None:
    assert str(source) == shown
    assert source.after_reset.startswith(after_reset)


def test_executors_have_another_working_directory() -> None:
    assert absolute("here") == str(Path.cwd() / "here")
    assert absolute("s3://there/x") == "s3://there/x"
