from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.panel.api.nodes import node_name

if TYPE_CHECKING:
    from tests.panel.house import House


def test_what_one_node_has_done_already_is_done(house: House) -> None:
    house.put("/queues/%2F/q")
    for target, body in (
        ("/rebalance/queues", None),
        ("/queues/%2F/q/actions", {"action": "sync"}),
        (f"/vhosts/%2F/start/{node_name()}", None),
    ):
        assert house.ask("POST", target, body).status == 204


@pytest.mark.parametrize(
    ("verb", "target", "body", "status", "reason"),
    [
        ("POST", "/queues/%2F/none/actions", {"action": "sync"}, 404, "there is no queue 'none'"),
        ("POST", "/queues/%2F/q/actions", {"action": "dance"}, 400, "the body is not what is asked for"),
        ("POST", "/vhosts/%2F/start/elsewhere", None, 400, "there is no node 'elsewhere'"),
        ("POST", "/vhosts/none/start/elsewhere", None, 404, "there is no virtual host 'none'"),
        ("PUT", "/cluster-name", {"name": "x"}, 400, "called after its machine"),
        ("DELETE", "/reset", None, 400, "since the broker started"),
        ("DELETE", "/reset/node", None, 400, "since the broker started"),
        ("PUT", "/feature-flags/x/enable", {}, 400, "no feature flags"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    house: House, verb: str, target: str, body: Any, status: int, reason: str
) -> None:
    house.put("/queues/%2F/q")
    answer = house.ask(verb, target, body)
    assert answer.status == status
    assert reason in answer.json["reason"]


def test_anybody_may_ask_how_to_log_in(house: House) -> None:
    answer = house.run(house.asker.ask("GET", "/api/auth", headers={"authorization": ""}))
    assert answer.status in {200, 401}
    assert house.get("/auth")["oauth_enabled"] is False
