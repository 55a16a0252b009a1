"""The data source `penstock`, as Spark finds it by name: source and sink, streamed and at once.

Each of Spark's workers imports only what it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

from penstock.pipelines.options import SinkOptions, SourceOptions, resolve
from penstock.pipelines.source.seam import plainly

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSourceReader,
        DataSourceStreamReader,
        DataSourceStreamWriter,
        DataSourceWriter,
    )
    from pyspark.sql.types import StructType

__all__ = ["PenstockDataSource"]


class PenstockDataSource(DataSource):
    """Queues of Penstock and of RabbitMQ. The options are in docs/reference/spark-options.md."""

    @classmethod
    def name(cls) -> str:
        """What `format` is given."""
        return "penstock"

    def schema(self) -> StructType:
        """The columns. `load` calls it: what is wrong with the options is found here, before a query runs."""
        from penstock.pipelines.source.origin import check_origin  # noqa: PLC0415
        from penstock.pipelines.source.shaping import Shaping  # noqa: PLC0415

        with plainly():
            options = SourceOptions.read(self.options)
            shaping = Shaping(options)
            check_origin(options)
            return shaping.schema

    def reader(self, schema: StructType) -> DataSourceReader:
        from penstock.pipelines.source.table import QueueTable  # noqa: PLC0415

        with plainly():
            return QueueTable(SourceOptions.read(self.options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 (Spark's name)
        from penstock.pipelines.source.stream import QueueStream  # noqa: PLC0415

        with plainly():
            return QueueStream(SourceOptions.read(self.options))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:  # noqa: FBT001 (Spark's flag)
        from penstock.pipelines.sink.publishing import check  # noqa: PLC0415
        from penstock.pipelines.sink.writer import QueueWriter  # noqa: PLC0415

        with plainly():
            options = self._sink_options(schema)
            check(resolve(options.url))
            return QueueWriter(options, schema.fieldNames())

    def streamWriter(  # noqa: N802 (Spark's name)
        self,
        schema: StructType,
        overwrite: bool,  # noqa: FBT001 (likewise)
    ) -> DataSourceStreamWriter:
        from penstock.pipelines.sink.writer import StreamQueueWriter  # noqa: PLC0415

        with plainly():
            # Spark makes one for each commit too: a broker that is away must not fail what was published.
            return StreamQueueWriter(self._sink_options(schema), schema.fieldNames())

    def _sink_options(self, schema: StructType) -> SinkOptions:
        """The options, once it is known that such rows can be messages."""
        from penstock.pipelines.sink.outgoing import Rows  # noqa: PLC0415

        options = SinkOptions.read(self.options)
        Rows(options, schema.fieldNames())
        return options
