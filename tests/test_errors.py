from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
import re
from pathlib import Path

import pytest

import penstock
from penstock import errors
from penstock.errors import BadSelector, PenstockError, RequestRefused

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "errors.md"


def subclasses(root: type[PenstockError]) -> list[type[PenstockError]]:
    return [root, *(error for child in root.__subclasses__() for error in subclasses(child))]


@pytest.fixture(scope="module")
def tree() -> list[type[PenstockError]]:
    """Every error of the package, wherever it is defined."""
    for module in pkgutil.walk_packages(penstock.__path__, "penstock."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return [error for error in subclasses(PenstockError) if error.__module__.startswith("penstock.")]


def test_every_error_says_what_happened(tree: list[type[PenstockError]]) -> None:
    assert [error.__name__ for error in tree if not vars(error).get("__doc__")] == []


def test_every_error_is_drawn_in_the_tree(tree: list[type[PenstockError]]) -> None:
    drawn = set(re.findall(r"\w+", inspect.getdoc(errors) or ""))
    assert [f"{error.__module__}.{error.__name__}" for error in tree if error.__name__ not in drawn] == []


def test_every_error_is_documented(tree: list[type[PenstockError]]) -> None:
    rows = PAGE.read_text("utf-8")
    assert [error.__name__ for error in tree if rows.count(f"\n| `{error.__name__}`") != 1] == []


def test_a_bad_selector_says_where_it_goes_wrong() -> None:
    with pytest.raises(BadSelector, match=r"^expected a value \(column 5\): a = $") as caught:
        raise BadSelector("expected a value", statement="a = ", column=5)
    assert (caught.value.statement, caught.value.column) == ("a = ", 5)


def test_a_refusal_keeps_its_status_on_the_way_from_another_process() -> None:
    arrived = pickle.loads(pickle.dumps(RequestRefused("not now", status=409)))  # noqa: S301  our own
    assert (str(arrived), arrived.status) == ("not now", 409)
