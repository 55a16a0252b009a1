"""The page of errors is what the tree says; that none is missing is told in tests/test_errors.py."""

from __future__ import annotations

import importlib
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from penstock import panel
from penstock.cli import error_reference
from penstock.cli.error_reference import page
from penstock.errors import PenstockError, TransientError
from penstock.panel import replies

if TYPE_CHECKING:
    import pytest

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"


class Ours(TransientError):
    """An application's own, which is none of Penstock's."""


def test_the_page_is_what_the_tree_says() -> None:
    again = "python -m penstock.cli.error_reference docs/reference/errors.md"
    assert PAGE.read_text("utf-8") == page(), f"write it again: {again}"


def test_an_error_says_what_it_is_what_happened_and_how_others_are_told() -> None:
    row = "| `UnknownQueue` | `UnknownName` | No queue of that name exists in that namespace. | 404 | 404 |"
    assert page().count(row) == 1
    assert "| `HttpFault` (`penstock.server.http.replies`) | `PenstockError` |" in page()
    assert "`Ours`" not in page()


def test_an_error_whose_module_was_imported_twice_stands_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = page()
    monkeypatch.setattr(panel, "replies", replies)
    monkeypatch.delitem(sys.modules, replies.__name__)
    again = importlib.import_module(replies.__name__)
    assert {replies.ApiFault, again.ApiFault} < set(PenstockError.__subclasses__())
    assert page() == before


def test_one_of_two_parents_stands_once() -> None:
    assert page().count("\n| `Unavailable` | `DidError`, `TransientError` |") == 1


def test_the_page_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["reference", str(tmp_path / "page.md")])
    runpy.run_path(error_reference.__file__, run_name="__main__")
    assert (tmp_path / "page.md").read_text("utf-8") == page()
