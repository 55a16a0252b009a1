from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from penstock.messaging.typed_json import dump, load, restored
from penstock.wiring.properties import typed
from tests.messaging.dead_letters.making import HEADERS, RICH


def test_values_keep_their_types() -> None:
    assert load(dump(RICH)) == RICH
    assert json.loads(dump(RICH))["bytes"] == {"$bytes": "AP8="}


@given(HEADERS)
def test_whatever_a_table_holds_comes_back(headers: dict[str, Any]) -> None:
    text = dump(headers)
    assert text.isascii()
    assert typed(load(text)) == typed(headers)


@pytest.mark.parametrize(
    "value", [{"$bytes": "§"}, {"$time": "noon"}, {"$time": 1}, {"$decimal": "x"}, {"$table": [1]}], ids=str
)
def test_a_value_that_is_not_what_it_says_is_told(value: Any) -> None:
    with pytest.raises((ValueError, TypeError, ArithmeticError)):
        restored({"x": value})


def test_what_no_table_holds_becomes_text() -> None:
    assert load(dump({"x": (1, 2), "y": complex(1, 2)})) == {"x": [1, 2], "y": "(1+2j)"}
