from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.cli.printing import print_done, print_fields, print_json, print_rows

if TYPE_CHECKING:
    import pytest

ROWS = [{"name": "orders", "arguments": {"x": 1}, "tags": ["a", "b"], "more": 1}]


def test_rows_are_a_table_of_some_columns_or_all_of_it_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(ROWS, ("name", "arguments", "tags", "missing"), as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "name\targuments\ttags\tmissing",
        "orders\tx=1\ta, b\t",
    ]
    print_rows(ROWS, ("name",), as_json=True)
    assert json.loads(capsys.readouterr().out) == ROWS


def test_fields_stand_one_below_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    print_fields({"name": "orders", "durable": True, "none": ""}, as_json=False)
    assert capsys.readouterr().out.splitlines() == ["name     orders", "durable  True", "none"]
    print_fields({"name": "orders"}, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"name": "orders"}


def test_what_was_done_is_a_line_or_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    print_done("done", {"done": 1}, as_json=False)
    print_done("done", {"done": 1}, as_json=True)
    assert capsys.readouterr().out == 'done\n{\n  "done": 1\n}\n'


def test_json_has_words_as_they_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"größe": 1})
    assert "größe" in capsys.readouterr().out
