"""Dead letters over HTTP: looked at, edited, sent once more, let go."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import connect
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.dead_letters import DeadLetter, DeadLetterStore
from penstock.messaging.headers import ATTEMPTS
from penstock.panel.own import Resources
from penstock.panel.own.dead_letters import LetterDesk
from penstock.server.permissions import Permission
from tests.panel.asgi import Asker, opened

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from penstock.messaging import Broker
    from penstock.wiring import Wiring

LETTERS = "/api/penstock/dead-letters"


def letter(number: int, **fields: Any) -> DeadLetter:
    told: dict[str, Any] = {
        "consumer": "billing",
        "message_id": f"m{number}",
        "queue": "billing",
        "body": b'{"amount": 3}',
        "type": "invoice",
        "error": "no such account",
        "error_class": "LookupError",
        "attempts": number,
        "first_failure": 10.0 * number,
        "last_failure": 10.0 * number,
    }
    return DeadLetter(**told | fields)


@asynccontextmanager
async def triage(*kept: DeadLetter) -> AsyncIterator[Asker]:
    """A panel with these dead letters, before a broker with the queue that they came from."""
    store = DeadLetterStore("sqlite://")
    store.create()
    store.keep(kept)
    resources = Resources()
    resources.opened.callback(store.close)
    async with opened(resources=resources) as guest:
        embedded = guest.panel.embedded
        embedded.broker.hosts["/"].create_queue("billing", now=0.0)

        async def lend() -> Broker:
            broker = AmqpBroker(await connect(embedded.url, dial=embedded.dial))
            resources.opened.push_async_callback(broker.close)
            return broker

        resources.dead_letters = LetterDesk(store, lend, "/")
        try:
            yield guest
        finally:
            await resources.close()


def wiring_of(guest: Asker) -> Wiring:
    return guest.panel.embedded.broker.hosts["/"].wiring


def depth(guest: Asker) -> int:
    return wiring_of(guest).queue("billing").ready


def test_they_are_counted_listed_and_shown() -> None:
    async def story() -> None:
        async with triage(letter(1), letter(2), letter(3, type="refund")) as guest:
            groups = (await guest.get(f"{LETTERS}/groups")).json
            assert [(each["type"], each["count"]) for each in groups] == [("invoice", 2), ("refund", 1)]
            found = (await guest.get(f"{LETTERS}?group={groups[0]['group']}")).json
            assert [each["message_id"] for each in found] == ["m2", "m1"]
            some = (await guest.get(f"{LETTERS}?where=attempts%20%3E%201&limit=1")).json
            assert [each["message_id"] for each in some] == ["m3"]
            one = (await guest.get(f"{LETTERS}/m1?consumer=billing")).json
            assert (one["error"], one["body"]) == ("no such account", '{"amount": 3}')

    asyncio.run(story())


def test_a_list_has_no_body_as_long_as_somebody_likes() -> None:
    async def story() -> None:
        async with triage(letter(1, body=b"x" * 100_000)) as guest:
            (told,) = (await guest.get(LETTERS)).json
            assert (len(told["body"]), told["size"]) == (2000, 100_000)
            assert len((await guest.get(f"{LETTERS}/m1")).json["body"]) == 100_000

    asyncio.run(story())


def test_a_list_is_short_whatever_stands_in_its_letters() -> None:
    headers = {f"h{number}": "x" * 600 for number in range(200)}
    long = letter(1, body=b"\xff" * 5_000_000, headers=headers, error="e" * 90_000, trace="t" * 90_000)

    async def story() -> None:
        async with triage(long) as guest:
            answer = await guest.get(LETTERS)
            assert len(answer.body) < 12_000
            assert list(answer.json[0]["headers"]) == ["h0", "h1", "h2"]
            assert len((await guest.get(f"{LETTERS}/m1")).json["headers"]) == 200

    asyncio.run(story())


@pytest.mark.parametrize(
    ("chosen", "redriven"),
    [
        ({"message_ids": ["m1"]}, 1),
        ({"type": "invoice"}, 2),
        ({"where": "attempts = 3"}, 1),
        ({"all": True}, 3),
    ],
    ids=str,
)
def test_those_that_are_meant_go_to_their_consumers_queue_once_more(
    chosen: dict[str, Any], redriven: int
) -> None:
    async def story() -> None:
        async with triage(letter(1), letter(2), letter(3, type="refund")) as guest:
            answer = await guest.post(f"{LETTERS}/redrive", chosen)
            assert answer.json == {"redriven": redriven, "failed": 0, "errors": []}
            assert depth(guest) == redriven
            assert len((await guest.get(LETTERS)).json) == 3 - redriven

    asyncio.run(story())


def test_an_edited_message_is_sent_in_place_of_a_dead_one() -> None:
    async def story() -> None:
        async with triage(letter(1)) as guest:
            edit = {"body": '{"amount": 4}', "headers": {"x-why": "corrected"}}
            new_id = (await guest.post(f"{LETTERS}/m1/retry?consumer=billing", edit)).json["message_id"]
            wiring = guest.panel.embedded.broker.hosts["/"].wiring
            (sent,) = [each.message for each in wiring.queue("billing").peek()]
            assert bytes(sent.body) == b'{"amount": 4}'
            assert sent.properties["x-why"] == "corrected"
            (retried,) = (await guest.get(f"{LETTERS}?state=retried")).json
            assert retried["retried_as"] == new_id

    asyncio.run(story())


def test_headers_come_and_go_with_their_types_and_without_their_failure() -> None:
    headers = {"at": datetime(2026, 1, 31, tzinfo=UTC), "large": 2**53 + 1, "x-death": [], ATTEMPTS: 5}

    async def story() -> None:
        async with triage(letter(1, headers=headers)) as guest:
            one = (await guest.get(f"{LETTERS}/m1")).json
            assert one["carried"] == (
                '{\n  "at": {\n    "$time": "2026-01-31T00:00:00+00:00"\n  },\n  "large": 9007199254740993\n}'
            )
            edit = {"headers": {**one["headers"], "due": {"$time": "2026-02-01T00:00:00+00:00"}}}
            assert (await guest.post(f"{LETTERS}/m1/retry", edit)).status == 200
            (sent,) = [each.message.properties for each in wiring_of(guest).queue("billing").peek()]
            assert (sent["at"], sent["large"]) == (headers["at"], 2**53 + 1)
            assert sent["due"] == datetime(2026, 2, 1, tzinfo=UTC)
            assert not {ATTEMPTS, "x-death"} & set(sent)

    asyncio.run(story())


def test_one_is_let_go_for_good() -> None:
    async def story() -> None:
        async with triage(letter(1), letter(2)) as guest:
            assert (await guest.post(f"{LETTERS}/discard", {"message_ids": ["m1"]})).json == {"discarded": 1}
            assert [each["message_id"] for each in (await guest.get(f"{LETTERS}?state=any")).json] == ["m2"]
            assert depth(guest) == 0

    asyncio.run(story())


@pytest.mark.parametrize(
    ("verb", "target", "body", "status"),
    [
        ("GET", "/m9", None, 404),
        ("GET", "?where=attempts%20%3E", None, 400),
        ("GET", "?state=alive", None, 400),
        ("GET", "?limit=-1", None, 400),
        ("GET", "/groups?where=attempts%3D1", None, 400),
        ("POST", "/redrive", {}, 400),
        ("POST", "/discard", {}, 400),
        ("POST", "/redrive", {"message_ids": "m1"}, 400),
        ("POST", "/redrive", b"[", 400),
        ("POST", "/m9/retry", {}, 404),
        ("POST", "/m1/retry", {"body_base64": "§"}, 400),
        ("POST", "/m1/retry", {"headers": {"x": 2**70}}, 400),
        ("POST", "/m1/retry", {"headers": {"x": {"$time": "noon"}}}, 400),
        ("POST", "/m1/retry", {"queue": "nowhere"}, 400),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(verb: str, target: str, body: Any, status: int) -> None:
    async def story() -> None:
        async with triage(letter(1)) as guest:
            answer = await guest.ask(verb, LETTERS + target, body)
            assert answer.status == status, answer.body
            assert answer.json["reason"]
            assert len((await guest.get(LETTERS)).json) == 1

    asyncio.run(story())


def let(guest: Asker, *tags: str, **patterns: str) -> None:
    """Who asks has these tags only, and these permissions; without a pattern, none."""
    realm = guest.panel.embedded.front.access.realm
    realm.users.change_tags("guest", tags)
    realm.permissions.revoke("guest", "/")
    if patterns:
        realm.permissions.grant(Permission(user="guest", vhost="/", **patterns))


def test_who_monitors_sees_that_there_are_letters_but_not_what_they_say() -> None:
    async def story() -> None:
        async with triage(letter(1, headers={"region": "eu"})) as guest:
            let(guest, "monitoring")
            (told,) = (await guest.get(LETTERS)).json
            one = (await guest.get(f"{LETTERS}/m1")).json
            for fields in (told, one):
                assert (fields["error"], fields["attempts"]) == ("no such account", 1)
                assert not {"body", "body_base64", "headers"} & set(fields)
                assert "virtual host '/' is refused for user 'guest'" in fields["withheld"]
            assert (await guest.get(f"{LETTERS}/groups")).json[0]["count"] == 1
            # Whether it is found would tell what is in its headers.
            assert (await guest.get(f"{LETTERS}?where=region%3D'eu'")).status == 403
            assert (await guest.post(f"{LETTERS}/redrive", {"all": True})).status == 403

    asyncio.run(story())


@pytest.mark.parametrize(
    ("patterns", "found", "contents"),
    [
        ({}, 403, False),
        ({"write": ".*"}, 200, False),
        ({"read": "^other$"}, 200, False),
        ({"read": "^billing$"}, 200, True),
    ],
    ids=str,
)
def test_who_does_not_monitor_sees_the_letters_of_a_virtual_host_they_may_enter(
    patterns: dict[str, str], found: int, *, contents: bool
) -> None:
    async def story() -> None:
        async with triage(letter(1)) as guest:
            let(guest, "policymaker", **patterns)
            answer = await guest.get(LETTERS)
            assert answer.status == found, answer.body
            assert (answer.status == 200 and "body" in answer.json[0]) is contents
            assert (await guest.get(f"{LETTERS}/m1")).status == found

    asyncio.run(story())


#: What is asked, and the permissions that it takes, as moving and purging the letter's queue would.
CHANGES: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    ("/m1/retry", {"queue": "payroll", "body": "forged"}, {"read": "^billing$", "write": "^amq.default$"}),
    ("/redrive", {"all": True}, {"read": "^billing$", "write": "^amq.default$"}),
    ("/redrive", {"message_ids": ["m1"]}, {"read": "^billing$", "write": "^amq.default$"}),
    ("/discard", {"message_ids": ["m1"]}, {"read": "^billing$"}),
]


@pytest.mark.parametrize(("target", "body", "needed"), CHANGES)
def test_letters_are_changed_by_those_alone_whom_the_brokers_permissions_let(
    target: str, body: dict[str, Any], needed: dict[str, str]
) -> None:
    async def story() -> None:
        async with triage(letter(1)) as guest:
            guest.panel.embedded.broker.hosts["/"].create_queue("payroll", now=0.0)
            for missing in needed:
                let(guest, "policymaker", **{name: needed[name] for name in needed if name != missing})
                assert (await guest.post(LETTERS + target, body)).status == 403, missing
            let(guest, "policymaker", **needed)
            assert len((await guest.get(LETTERS)).json) == 1, "what is refused changes nothing"
            assert sum(each.ready for each in wiring_of(guest).queues.values()) == 0
            assert (await guest.post(LETTERS + target, body)).status == 200

    asyncio.run(story())


def test_a_selection_with_letters_of_a_queue_that_is_not_theirs_is_refused_whole() -> None:
    async def story() -> None:
        async with triage(letter(1), letter(2, queue="payroll", consumer="payroll")) as guest:
            let(guest, "policymaker", read="^billing$", write=".*")
            refused = await guest.post(f"{LETTERS}/redrive", {"all": True})
            assert refused.status == 403
            assert "'payroll'" in refused.json["reason"]
            assert depth(guest) == 0
            assert (await guest.post(f"{LETTERS}/redrive", {"consumer": "billing"})).json["redriven"] == 1

    asyncio.run(story())
