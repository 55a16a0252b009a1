"""Shaping: batches of messages as exactly the columns that Spark was told of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from penstock.errors import BadSetting
from penstock.pipelines.columns import BRIEFLY, PLAINLY, column_fields, columns_in, needed_for
from penstock.pipelines.decoding import NEEDED, Typed

if TYPE_CHECKING:
    from penstock.pipelines.options import SourceOptions

__all__ = ["Shaping"]


class Shaping:
    """What the options ask to be shown. Made where it is used: it does not travel."""

    def __init__(self, options: SourceOptions) -> None:
        """Raises BadSetting if the class of typed messages cannot be had, or columns have one name."""
        self._typed = Typed(options.schema_type) if options.schema_type else None
        self._columns = options.columns or (BRIEFLY if self._typed is not None else PLAINLY)
        own = self._typed.fields() if self._typed is not None else []
        self.schema = StructType([*column_fields(self._columns), *own])
        names = self.schema.fieldNames()
        for name in names:
            if names.count(name) > 1:
                raise BadSetting(
                    f"schema_type: {options.schema_type} has a field {name!r}, and so has every message:"
                    " say with the option columns which of the message's you want besides",
                    setting="schema_type",
                )
        #: The columns of a message that all this is made of, and its position, to go on from.
        self.needed = needed_for(("position", *self._columns, *(NEEDED if self._typed is not None else ())))
        self._arrow = to_arrow_schema(self.schema, timezone="UTC")

    def __repr__(self) -> str:
        return f"<Shaping {', '.join(self.schema.fieldNames())}>"

    def shape(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """A batch that has `needed`, as Spark was told."""
        columns = columns_in(batch, self._columns)
        if self._typed is not None:
            columns += self._typed.columns(batch, self._arrow.types[len(columns) :])
        return pa.RecordBatch.from_arrays(columns, schema=self._arrow)
