"""The table of the management API: the reference lists all of it, and tools find what they ask for."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from penstock.panel.api.routes import ROUTES

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "management-api.md"


def test_every_route_is_in_the_reference_and_no_other() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| ([^|]*) \|", REFERENCE.read_text(), re.MULTILINE)
    expected = [(verb, path, route.tag) for (verb, path), route in ROUTES.items()]
    assert sorted((verb, path, tag.strip()) for verb, path, tag in rows) == sorted(expected)


def test_every_handler_takes_the_names_in_its_path() -> None:
    for (verb, path), route in ROUTES.items():
        names = re.findall(r"\{(\w+)\}", path)
        inspect.signature(route.handler).bind(None, **dict.fromkeys(names, "x"))
        assert inspect.iscoroutinefunction(route.handler), (verb, path)
