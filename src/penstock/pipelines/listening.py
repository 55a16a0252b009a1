"""News of each batch of a session's queries, in Spark's own words: one JSON text.

pyspark's listener copies an event field by field, and every field is a question to Java: measured, a batch
cost Java 45 ms and Python as much, for two or three fields that anybody reads. The text is one question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.listener import StreamingQueryListener

__all__ = ["listen"]


def listen(spark: SparkSession, hear: Callable[[str], None]) -> Callable[[], None]:
    """Have this called with the progress of every batch that is done, on a thread of Spark's.

    Returns:
        What ends it.
    """
    # pyspark asks it for nothing but what Java knows it by.
    listener = cast("StreamingQueryListener", _Listener(spark, hear))
    spark.streams.addListener(listener)
    return lambda: spark.streams.removeListener(listener)


class _Listener:
    """What pyspark hands to Java."""

    def __init__(self, spark: SparkSession, hear: Callable[[str], None]) -> None:
        self._spark = spark
        self._heard = _Heard(hear)
        self._made: Any = None

    @property
    def _jlistener(self) -> Any:
        """Made when it is asked for: only then can Java call Python."""
        if self._made is None:
            jvm: Any = self._spark._jvm  # noqa: SLF001 (pyspark has no other way)
            self._made = jvm.PythonStreamingQueryListenerWrapper(self._heard)
        return self._made


class _Heard:
    """What Java calls."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        self._hear = hear

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802 (Spark's names, here and below)
        self._hear(event.progress().json())

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """It is known to whoever started it."""

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Nothing has come; the last batch has told everything."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Whoever runs it waits for its end."""

    class Java:
        """For py4j."""

        implements: ClassVar = ["org.apache.spark.sql.streaming.PythonStreamingQueryListener"]
