from __future__ import annotations

import pytest

from penstock.pipelines.declared.reasons import LONGEST, reason_of

PYTHON = """[STREAM_FAILED] Query [id = 873d, runId = ce0f] terminated with exception: [PYTHON_EXCEPTION] An \
exception was thrown from the Python worker: Traceback (most recent call last):
  File "/app/commons.py", line 14, in title
    raise ValueError('no title')

KeyError: 'title'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/commons.py", line 16, in title
    raise ValueError('no title')
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
ValueError: no title in [23]
 SQLSTATE: 38000 SQLSTATE: XXKST
=== Streaming Query ===
Identifier: q [id = 873d, runId = ce0f]
"""
CAST = """[CAST_INVALID_INPUT] The value 'x' of the type "STRING" cannot be cast to "INT". SQLSTATE: 22018
== DataFrame ==
"cast" was called from
/app/commons.py:3

\tat org.apache.spark.sql.errors.QueryExecutionErrors.x(QueryExecutionErrors.scala:1)
"""

WRITING = """[STREAM_FAILED] Query [id = 873d] terminated with exception: Traceback (most recent call last):
  File "/app/parquet.py", line 72, in apply
    writing.parquet(path)
pyspark.errors.exceptions.captured.SparkRuntimeException: [USER_RAISED_EXCEPTION] no title SQLSTATE: P0001
"""
REFUSED = """Traceback (most recent call last):
  File "/app/sink.py", line 90, in write
penstock.errors.pipelines.TableError: table threads refused the batch
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PYTHON, "ValueError: no title in [23]"),
        (CAST, '[CAST_INVALID_INPUT] The value \'x\' of the type "STRING" cannot be cast to "INT".'),
        (
            "An error occurred while calling o364.start.\n: org.apache.spark.X: [GONE] It is gone.",
            "[GONE] It is gone.",
        ),
        (WRITING, "[USER_RAISED_EXCEPTION] no title"),
        (REFUSED, "TableError: table threads refused the batch"),
        ("no\n  room", "no room"),
        ("", "RuntimeError"),
        ("Traceback (most recent call last):\n" + "\n" * 5000, "Traceback (most recent call last):"),
    ],
)
def test_a_reason_is_the_sentence_that_matters(text: str, reason: str) -> None:
    assert reason_of(RuntimeError(text)) == reason


def test_a_reason_that_quotes_a_large_row_is_cut_off() -> None:
    assert len(reason_of(ValueError("x" * 5000))) == LONGEST


def test_an_error_that_cannot_say_what_it_is_has_a_name() -> None:
    class FarAway(Exception):
        def __str__(self) -> str:
            raise ConnectionError

    assert reason_of(FarAway()) == "FarAway"
