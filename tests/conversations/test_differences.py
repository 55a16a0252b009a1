"""Every difference is listed, used, and told to people."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conversations.differences import DIFFERENCES, PAGE, page

SUITE = [file.read_text() for file in Path(__file__).parent.glob("test_*.py")]


def test_the_page_tells_the_differences() -> None:
    assert PAGE.read_text() == page(), "write it anew with: python -m tests.conversations.differences"


def test_every_difference_is_one_that_a_conversation_finds() -> None:
    asked_for = {name for text in SUITE for name in re.findall(r'expected\("([^"]+)"\)', text)}
    assert asked_for == set(DIFFERENCES)


def test_a_difference_is_a_difference() -> None:
    assert [name for name, each in DIFFERENCES.items() if each.rabbitmq == each.penstock] == []
