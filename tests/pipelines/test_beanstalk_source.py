"""What the source promises, of a tube of beanstalkd: each job is a row, exactly once, over restarts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from penstock.client.beanstalk import OutgoingJob, connect
from penstock.messaging import Message
from penstock.messaging.beanstalk.envelope import job_body
from penstock.pipelines.registering import register

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from tests.servers.running import Running

COLUMNS = "position,body,message_id,header_tenant,routing_key"


def test_each_job_is_a_row_once_over_restarts(
    spark: SparkSession, beanstalkd_server: Running, name: str, tmp_path: Path
) -> None:
    register(spark)
    url, rows = beanstalkd_server.url, list[dict[str, Any]]()

    def put(*bodies: bytes) -> None:
        async def story() -> None:
            async with await connect(url) as client:
                assert set(await client.put_many([OutgoingJob(name, body) for body in bodies])) == {None}

        asyncio.run(story())

    def run() -> None:
        options = {"url": url, "queue": name, "spool": str(tmp_path / "spool"), "columns": COLUMNS}
        frame = spark.readStream.format("penstock").options(**options).load()
        writing = frame.writeStream.foreachBatch(write).option("checkpointLocation", str(tmp_path / "check"))
        writing.trigger(availableNow=True).start().awaitTermination()

    def write(batch: DataFrame, _number: int) -> None:
        rows.extend(batch.toArrow().to_pylist())

    # The game's jobs say nothing but what they are; two of them may be the same.
    put(*[b'{"route":"/tick"}'] * 500)
    run()
    envelope = Message(body=b'{"route":"/tock"}', id="m1", headers={"tenant": "t1"})
    put(b'{"route":"/tick"}', job_body(envelope, 0.0))
    run()

    assert [row["position"] for row in rows] == list(range(1, 503))
    assert len({row["message_id"] for row in rows}) == 502
    assert {row["routing_key"] for row in rows} == {name}
    last = rows[-1]
    assert (last["body"], last["message_id"], last["header_tenant"]) == (b'{"route":"/tock"}', "m1", "t1")
