"""Places for tests: a domain in a folder, with parameters that make it quick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.did.domain import Places
from penstock.did.domain.keys import make_key
from penstock.did.parameters import DidParameters

if TYPE_CHECKING:
    from pathlib import Path

#: Intervals of a domain that has no time.
QUICK: dict[str, Any] = {
    "mq_redelivery_initial_interval": 0.05,
    "mq_redelivery_max_interval": 0.2,
    "task_manager_check_interval": 0.1,
    "op_queue_task_monitor_interval": 0.2,
    "op_queue_task_expiration": 1,
}


def places_in(
    folder: Path, word: str = "orb", *, base: str = "http://127.0.0.1:8326", **given: Any
) -> Places:
    """A domain whose everything is in a folder; its broker is whatever the test has."""
    key = folder / word / "key.pem"
    make_key(key)
    return Places(
        base=base,
        database=f"sqlite:///{folder}/{word}/records.db",
        storage=str(folder / word / "contents"),
        broker="amqp://guest:s3cret@127.0.0.1:1/",
        key=str(key),
        word=word,
        parameters=DidParameters(**{**QUICK, **given}),
    )
