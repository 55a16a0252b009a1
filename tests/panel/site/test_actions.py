"""Every button that a page's module makes is pressed by some test in the browser."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from penstock.panel.site.assets import FOLDER

#: How modules name what can be pressed: a button's own text, the question's button, and rows of verbs.
BUTTONS = (
    re.compile(r'h\(\s*"button",\s*\{(?:(?!h\().)*?\},\s*"([^"]+)"', re.DOTALL),
    re.compile(r'\baction: "([^"]+)"'),
    re.compile(r'^    \["([^"]+)", "(?:danger)?", \(\) =>', re.MULTILINE),
)
#: The arguments of all presses: read as Python reads them, since some are names of characters.
PRESSED = {
    call.args[0].value
    for file in Path(__file__).parent.glob("test_*.py")
    for call in ast.walk(ast.parse(file.read_text()))
    if isinstance(call, ast.Call)
    and isinstance(call.func, ast.Attribute)
    and call.func.attr == "click"
    and isinstance(call.args[0], ast.Constant)
}


def labels() -> list[tuple[str, str]]:
    found = {
        (file.stem, label)
        for file in sorted(FOLDER.rglob("*.js"))
        for pattern in BUTTONS
        for label in pattern.findall(file.read_text())
    }
    return sorted(found)


def test_the_buttons_are_found() -> None:
    known = {("schedules", "Run now"), ("vhosts", "Delete…"), ("queue-actions", "Purge…"), ("users", "Add")}
    assert known <= set(labels())


@pytest.mark.parametrize(("module", "label"), labels())
def test_a_button_is_pressed(module: str, label: str) -> None:
    assert label in PRESSED, f"no test presses {label!r} of {module}.js"
