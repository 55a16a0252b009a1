"""Dead letters to test with."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from penstock.messaging.dead_letters import DeadLetter

#: Like the ones that a subscription writes.
FAILED = DeadLetter(
    consumer="commons.Notifications",
    message_id="m1",
    queue="commons.Notifications",
    body=b'{"id": 1}',
    type="ThreadCreated",
    version=2,
    content_type="application/json",
    headers={"region": "eu", "x-penstock-attempts": 3},
    exchange="commons",
    key="ThreadCreated",
    reason="failed",
    error="no thread 17",
    error_class="builtins.LookupError",
    trace="Traceback …",
    attempts=3,
    first_failure=100.0,
    last_failure=110.0,
)

#: Everything that AMQP's tables hold.
VALUES: Any = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False),
        st.text(),
        st.binary(),
        st.decimals(allow_nan=False, allow_infinity=False, places=3),
        st.datetimes(timezones=st.just(UTC)),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
HEADERS = st.dictionaries(st.text(max_size=10), VALUES, max_size=5)
RICH = {
    "bytes": b"\x00\xff",
    "time": datetime(2026, 1, 31, tzinfo=UTC),
    "decimal": Decimal("1.50"),
    "table": {"$bytes": "not what it seems", "list": [1, [b"x"]]},
    "$time": "a header's name may be anything",
}
