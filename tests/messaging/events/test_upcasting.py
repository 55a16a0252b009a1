from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import MessagingError
from penstock.messaging.events import upcast


@upcast("ThreadCreated", 1)
def with_title(content: dict[str, Any]) -> dict[str, Any]:
    return content | {"title": "untitled"}


def test_an_upcaster_knows_where_it_starts_and_can_be_called() -> None:
    assert (with_title.name, with_title.version) == ("ThreadCreated", 1)
    assert with_title({"id": 1}) == {"id": 1, "title": "untitled"}


@pytest.mark.parametrize(("name", "version"), [("a b", 1), ("ThreadCreated", 0)])
def test_its_event_must_be_possible(name: str, version: int) -> None:
    with pytest.raises(MessagingError):
        upcast(name, version)
