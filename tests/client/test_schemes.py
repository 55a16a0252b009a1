from __future__ import annotations

import pytest

from penstock.client.schemes import is_beanstalk


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("beanstalk://h", True),
        (" beanstalks://h", True),
        ("amqp://beanstalk://", False),
        ("env:NAME", False),
        ("", False),
    ],
)
def test_a_url_says_its_protocol_first(text: str, expected: bool) -> None:  # noqa: FBT001 (a column of the table)
    assert is_beanstalk(text) is expected
