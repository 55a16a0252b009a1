"""Rows that the tests of event log, replay and reports share, as a source gives them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
MESSAGES = (
    "message_id string, type string, exchange string, routing_key string, timestamp timestamp,"
    " arrived timestamp, content_type string, content_encoding string, correlation_id string,"
    " reply_to string, app_id string, priority int, delivery_mode int, expiration string, headers string,"
    " body binary"
)
LIVES = "position long, type string, routing_key string, arrived timestamp, headers string, body binary"
_numbers = count(1)


def message(number: int, kind: str = "OrderPlaced", **more: Any) -> dict[str, Any]:
    """A message, a minute after the one before it."""
    at = NOON + timedelta(minutes=number)
    made = {
        "message_id": f"m{number}",
        "type": kind,
        "exchange": "shop",
        "routing_key": f"orders.{number}",
        "timestamp": at,
        "arrived": at + timedelta(seconds=1),
        "content_type": "application/json",
        "delivery_mode": 2,
        "body": json.dumps({"id": number % 3, "total": number}).encode(),
    }
    headers = more.pop("headers", None)
    return {**made, "headers": json.dumps(headers) if headers is not None else None, **more}


def step(kind: str, number: int, seconds: float, **more: Any) -> dict[str, Any]:
    """A step of a message's life, so many seconds after it was published, as Penstock tells it."""
    made = {
        "number": next(_numbers),
        "at": (NOON + timedelta(minutes=number, seconds=seconds)).timestamp(),
        "step": kind,
        "message_id": f"m{number}",
        "type": "OrderPlaced",
        "exchange": "shop",
        "routing_key": f"orders.{number}",
        "queue": "",
        "consumer": "",
        "attempt": 0,
        "reason": "",
    }
    return made | more


def told(*steps: dict[str, Any]) -> dict[str, Any]:
    """A message of `amq.penstock.lives`."""
    return {"type": "penstock.lives", "routing_key": "x", "arrived": NOON, "body": json.dumps(steps).encode()}


def frame(spark: SparkSession, rows: list[dict[str, Any]], schema: str) -> DataFrame:
    """Rows as a DataFrame; what they do not say is null."""
    names = [column.split()[0] for column in schema.split(", ")]
    return spark.createDataFrame([tuple(row.get(name) for name in names) for row in rows], schema)
