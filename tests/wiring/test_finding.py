"""Finding by name: what is there, what may have been meant, and what nobody can guess."""

from __future__ import annotations

import pytest

from penstock.errors import UnknownQueue
from penstock.wiring.finding import FEW_NAMES, find


def test_what_is_there_is_found() -> None:
    assert find({"orders": 1}, "orders", UnknownQueue, "no such queue") == 1


@pytest.mark.parametrize(
    ("names", "wanted", "text"),
    [
        (["orders"], "order", "no such queue (or did you mean 'orders'?)"),
        ([("", "orders"), ("news", "other")], ("", "order"), "no such queue (or did you mean 'orders'?)"),
        (["orders"], "graves", "no such queue"),
        ([], "orders", "no such queue"),
        # The same name elsewhere is no help.
        ([("news", "orders")], ("", "orders"), "no such queue"),
        # Among very many nobody searches.
        ([*map(str, range(FEW_NAMES)), "orders"], "order", "no such queue"),
    ],
)
def test_else_what_may_have_been_meant_is_offered(names: list[object], wanted: object, text: str) -> None:
    with pytest.raises(UnknownQueue) as raised:
        find(dict.fromkeys(names, 1), wanted, UnknownQueue, "no such queue")
    assert str(raised.value) == text
