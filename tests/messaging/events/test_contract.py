from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.errors import MessagingError
from penstock.messaging.events import Registry, event, upcast
from penstock.messaging.events.contract import contracts_of, load, save

if TYPE_CHECKING:
    from pathlib import Path


@upcast("ThreadCreated", 1)
def from_1(content: dict[str, Any]) -> dict[str, Any]:
    return content


@event("ThreadCreated", version=2, upcasters=[from_1])
class ThreadCreated(msgspec.Struct):
    id: int


@event("AThing")
class AThing(msgspec.Struct):
    id: int


def test_a_snapshot_is_read_as_it_was_written(tmp_path: Path) -> None:
    contracts = contracts_of(Registry(ThreadCreated, AThing))
    save(tmp_path / "contracts.json", contracts)
    assert load(tmp_path / "contracts.json") == contracts
    assert (contracts["ThreadCreated"].version, contracts["ThreadCreated"].oldest) == (2, 1)


def test_a_snapshot_is_the_same_text_whatever_the_order(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    save(first, contracts_of(Registry(ThreadCreated, AThing)))
    save(second, contracts_of(Registry(AThing, ThreadCreated)))
    assert first.read_text() == second.read_text()
    assert first.read_text().endswith("}\n")
    assert len(first.read_text().splitlines()) > 10


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "there is no .*contracts.json yet: make one with `penstock contracts save`"),
        ("{", "cannot be read as contracts: Input data was truncated"),
        ('{"events":{}}', "missing required field `format`"),
        ('{"format":2,"events":{}}', "is of format 2: this Penstock reads 1"),
    ],
)
def test_what_is_no_snapshot_is_refused(tmp_path: Path, text: str | None, told: str) -> None:
    path = tmp_path / "contracts.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(MessagingError, match=told):
        load(path)
