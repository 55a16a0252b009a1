from __future__ import annotations

from penstock.cli.aligned import aligned


def test_columns_stand_one_below_the_other() -> None:
    assert aligned(("NAME", "N"), [("threads", 12), ("a", None)]) == [
        "NAME     N",
        "threads  12",
        "a        -",
    ]


def test_a_cell_is_one_line() -> None:
    assert aligned(("ERROR",), [("no\n room",)]) == ["ERROR", "no room"]


def test_without_rows_there_are_headings() -> None:
    assert aligned(("A", "B"), []) == ["A  B"]
