from __future__ import annotations

import pytest

from penstock.wire.beanstalk import NAME_MAX, is_tube_name


@pytest.mark.parametrize("name", ["a", "default", "a-b", "A1+/;.$_()", "x" * NAME_MAX])
def test_a_tube_may_be_called_so(name: str) -> None:
    assert is_tube_name(name)


@pytest.mark.parametrize("name", ["", "-a", "a b", "a:b", "ä", "a\n", "x" * (NAME_MAX + 1)])
def test_a_tube_may_not_be_called_so(name: str) -> None:
    assert not is_tube_name(name)
