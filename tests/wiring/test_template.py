"""Templates: organisation and tuning, default registration, constraints."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from penstock.errors import BadConfiguration
from penstock.wiring import LOWEST_PRIORITY, OWN_NAME, DeadLetters, DefaultRegistration, Overflow, Template
from tests.wiring.support import refused, wired


def test_a_plain_template_limits_nothing() -> None:
    plain = Template()
    limits = (plain.max_length, plain.max_bytes, plain.max_consumers, plain.window, plain.delivery_limit)
    spans = (plain.unused_in, plain.expires_in, plain.lease_in)
    assert set(limits + spans) == {None}
    assert (plain.persistent, plain.dynamic, plain.single_active, plain.most_urgent) == (
        False,
        False,
        False,
        0,
    )
    assert (plain.overflow, plain.dead_letters, plain.registration) == (Overflow.DROP_HEAD, None, None)


def test_a_template_is_shared_so_nobody_can_change_it() -> None:
    with pytest.raises(FrozenInstanceError):
        Template().max_length = 3  # type: ignore[misc]


def test_a_queue_registers_with_its_own_name_unless_told_otherwise() -> None:
    assert DefaultRegistration("names").pattern is OWN_NAME
    assert DefaultRegistration("topics", "a.*").pattern == "a.*"


def test_dead_letters_keep_their_destination_unless_told_otherwise() -> None:
    assert DeadLetters("dead").destination is None


def test_a_template_changes_into_another() -> None:
    template = Template(max_length=3)
    changed = template.changed({"max_bytes": 5})
    assert (changed.max_length, changed.max_bytes, template.max_bytes) == (3, 5, None)
    assert template.changed({}) == template


@pytest.mark.parametrize(
    "changes",
    [
        {"max_length": 0},
        {"max_bytes": 0},
        {"expires_in": 0},
        {"expires_in": 1.5},
        {"lease_in": 0.001},
        {"delivery_limit": 0},
        {"most_urgent": LOWEST_PRIORITY},
        {"window": 1},
        {"max_consumers": 0},
        {"unused_in": 0.001},
    ],
)
def test_the_least_of_each_limit_is_allowed(changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        assert getattr(Template().changed(changes), name) == value


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"max_length": -1}, "max_length is -1: it must be at least 0"),
        ({"max_bytes": -1}, "max_bytes is -1: it must be at least 0"),
        ({"expires_in": -0.5}, "expires_in is -0.5: it must be at least 0"),
        ({"expires_in": float("nan")}, "expires_in is nan: it must be at least 0"),
        ({"lease_in": 0}, "lease_in is 0: it must be at least 0.001"),
        ({"delivery_limit": -1}, "delivery_limit is -1"),
        ({"window": 0}, "window is 0: it must be at least 1"),
        ({"max_consumers": -1}, "max_consumers is -1"),
        ({"unused_in": 0}, "unused_in is 0"),
        ({"most_urgent": -1}, "most_urgent is -1"),
        (
            {"most_urgent": LOWEST_PRIORITY + 1},
            "most_urgent is 4294967296: the lowest priority is 4294967295",
        ),
        ({"most_urgent": None}, "most_urgent is None: it takes int"),
        ({"max_length": "10"}, "max_length is '10': it takes int"),
        ({"max_length": 1.5}, "max_length is 1.5: it takes int"),
        ({"overflow": "drop-head"}, "overflow is 'drop-head': it takes Overflow"),
        ({"dead_letters": "dead"}, "dead_letters is 'dead': it takes .*DeadLetters"),
        ({"registration": "names"}, "registration is 'names': it takes .*DefaultRegistration"),
        ({"size": 1, "colour": 2}, "a queue has no property colour, size; it knows: dead_letters, "),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_created(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadConfiguration, match=complaint):
        Template().changed(changes)
    wiring, _ = wired()
    with refused(wiring, BadConfiguration, complaint):
        wiring.create_queue("new", now=0.0, **changes)


def test_what_differs_is_told_in_words() -> None:
    template = Template(max_length=3, dynamic=True)
    assert template.differences(Template(max_length=3, dynamic=True)) == []
    assert template.differences(Template(max_length=4)) == [
        "dynamic is True, not False",
        "max_length is 3, not 4",
    ]


def test_the_words_for_overflow_are_rabbitmqs() -> None:
    assert [overflow.value for overflow in Overflow] == ["drop-head", "reject-publish", "reject-publish-dlx"]
