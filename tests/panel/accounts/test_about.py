"""What is told of a change, and what never is."""

from __future__ import annotations

from typing import Any, Final

import pytest

from penstock.panel.accounts.about import asked_about, came_of
from penstock.panel.api.messages import GetBody, PublishBody
from penstock.panel.api.moving import MoveBody
from penstock.panel.api.users import UserBody
from penstock.panel.own.dead_letters import Chosen, Retry
from penstock.panel.replies import DONE, Reply, json_reply

HUSH = "hush"
TAKE: Final = "ack_requeue_false"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (MoveBody(to="there", count=3, filter="a = 1"), {"to": "there", "count": 3, "filter": "a = 1"}),
        (GetBody(count=2, ackmode=TAKE), {"count": 2, "ackmode": TAKE, "requeue": True}),
        (PublishBody(routing_key="k", payload="hush"), {"routing_key": "k"}),
        (UserBody(tags="monitoring", password=HUSH, password_hash=HUSH), {"tags": "monitoring"}),
        (Chosen(message_ids=["a", "b"]), {"message_ids": ["a", "b"], "all": False}),
        (Retry(body="hush", headers={"h": "hush"}, queue="q"), {"queue": "q"}),
        ({"queues": [1, 2], "users": [{"password_hash": "hush"}], "version": "1"}, {"queues": 2, "users": 1}),
        (b"username=a&password=hush", {}),
        (None, {}),
    ],
)
def test_a_request_is_told_by_names_and_never_by_contents(body: Any, told: dict[str, Any]) -> None:
    assert asked_about(body, {}) == told


def test_the_query_says_how() -> None:
    assert asked_about(None, {"if-empty": "true", "token": "hush"}) == {"if-empty": "true"}


def test_what_is_long_is_cut() -> None:
    told = asked_about(Chosen(message_ids=["m" * 999] * 50), {})["message_ids"]
    assert (len(told), len(told[0]), told[-1]) == (21, 200, "and 30 more")


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (json_reply({"redriven": 5, "errors": ["what a message said"]}), {"redriven": 5}),
        (json_reply({"message_id": "new"}), {"message_id": "new"}),
        (json_reply([{"payload": "hush"}]), {}),
        (json_reply({"moved": 1, "more": "x" * 5000}), {}),
        (Reply(kind="text/html", body=b"{"), {}),
        (DONE, {}),
    ],
)
def test_an_answer_is_told_by_its_counts(reply: Reply, told: dict[str, Any]) -> None:
    assert came_of(reply) == told
