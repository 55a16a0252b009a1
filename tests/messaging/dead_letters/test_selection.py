from __future__ import annotations

import pytest

from penstock.errors import BadSelector, MessagingError
from penstock.messaging.dead_letters import Selection
from tests.messaging.dead_letters.making import FAILED


def test_a_selector_is_asked_about_the_properties() -> None:
    assert Selection().fits(FAILED)
    assert Selection(where="region = 'eu' AND attempts = 3").fits(FAILED)
    assert not Selection(where="region = 'us'").fits(FAILED)
    assert not Selection(where="unheard_of = 1").fits(FAILED)


def test_mistakes_are_told_before_anything_is_done() -> None:
    with pytest.raises(BadSelector):
        Selection(where="region =")
    with pytest.raises(MessagingError, match="a dead letter is dead, redriven, retried, never gone"):
        Selection(state="gone")


def test_only_the_state_is_everything() -> None:
    assert Selection().is_everything
    assert Selection(state=None).is_everything
    for said in (
        {"consumer": "a"},
        {"type": "a"},
        {"group": "a"},
        {"message_ids": ("a",)},
        {"where": "a = 1"},
    ):
        assert not Selection(**said).is_everything
