from __future__ import annotations

import pytest

from penstock.client.numbers import MOST_CHANNELS, ChannelNumbers
from penstock.errors import NotConnected


def test_numbers_count_up_and_are_used_again() -> None:
    numbers = ChannelNumbers(3)
    assert [numbers.take() for _ in range(3)] == [1, 2, 3]
    assert not numbers.has_room
    with pytest.raises(NotConnected, match="all 3 channels"):
        numbers.take()
    numbers.give_back(2)
    assert repr(numbers) == "<ChannelNumbers 2 of 3 taken>"
    assert numbers.take() == 2


def test_no_limit_is_the_wires_own() -> None:
    assert repr(ChannelNumbers(0)) == f"<ChannelNumbers 0 of {MOST_CHANNELS} taken>"
