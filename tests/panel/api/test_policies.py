from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.panel.house import House


@pytest.mark.parametrize(
    "target",
    [
        "/policies",
        "/policies/%2F",
        "/operator-policies",
        "/operator-policies/%2F",
        "/global-parameters",
        "/parameters",
        "/parameters/federation/%2F",
        "/user-limits",
        "/extensions",
        "/feature-flags",
    ],
)
def test_what_there_is_none_of_is_an_empty_list(house: House, target: str) -> None:
    assert house.get(target) == []


def test_limits_of_virtual_hosts_are_among_the_parameters(house: House) -> None:
    house.put("/vhost-limits/%2F/max-queues", {"value": 7})
    [parameter] = house.get("/parameters/vhost-limits")
    assert (parameter["vhost"], parameter["value"]) == ("/", {"max-queues": 7})
    assert house.get("/parameters/shovel") == []


@pytest.mark.parametrize(
    ("verb", "target", "status", "reason"),
    [
        ("PUT", "/policies/%2F/p", 400, "name a template"),
        ("PUT", "/operator-policies/%2F/p", 400, "name a template"),
        ("PUT", "/parameters/shovel/%2F/s", 400, "this broker has no parameters"),
        ("PUT", "/user-limits/guest/max-channels", 400, "limit the virtual host"),
        ("PUT", "/global-parameters/p", 400, "this broker has no parameters"),
        ("GET", "/global-parameters/p", 404, "this broker has none"),
        ("DELETE", "/global-parameters/p", 404, "this broker has none"),
        ("DELETE", "/user-limits/nobody/max-channels", 404, "there is no user 'nobody'"),
        ("GET", "/policies/%2F/p", 404, "this broker has none"),
        ("DELETE", "/policies/%2F/p", 404, "this broker has none"),
        ("GET", "/policies/nowhere", 404, "there is no virtual host"),
    ],
)
def test_what_is_asked_for_in_vain_is_refused_with_a_reason(
    house: House, verb: str, target: str, status: int, reason: str
) -> None:
    answer = house.ask(verb, target, {})
    assert (answer.status, reason in answer.json["reason"]) == (status, True), answer.body


def test_a_limit_that_nobody_has_is_taken_away_already(house: House) -> None:
    assert house.delete("/user-limits/guest/max-channels") == 204
