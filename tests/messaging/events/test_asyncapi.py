from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import msgspec
import pydantic
import pytest

from penstock.client import BrokerUrl
from penstock.messaging.events import Registry, event, upcast
from penstock.messaging.events.asyncapi import asyncapi
from penstock.messaging.topology import Topology
from penstock.messaging.topology.deriving import Consuming, derive


class Author(msgspec.Struct):
    name: str
    friends: list[Author] = []


@upcast("ThreadCreated", 1)
def from_1(content: dict[str, Any]) -> dict[str, Any]:
    return content


@event("ThreadCreated", version=2, upcasters=[from_1])
class ThreadCreated(msgspec.Struct):
    """Somebody has started a thread.

    In any forum.
    """

    id: int
    author: Author
    parent: ThreadCreated | None = None


@event("urn:thread.deleted")
@dataclass
class ThreadDeleted:
    id: int
    author: Author | None = None


class Badge(pydantic.BaseModel):
    colour: str


@event("UserNamed")
class UserNamed(pydantic.BaseModel):
    """A user has a name."""

    name: str
    badge: Badge | None = None


REGISTRY = Registry(ThreadCreated, ThreadDeleted, UserNamed)
TOPOLOGY = derive(
    "commons",
    [
        Consuming(
            name="notifications",
            events=("ThreadCreated", "urn:thread.deleted"),
            overrides={"ThreadCreated": "ThreadCreated.contest.#"},
        ),
        Consuming(name="unbound", events=("UserNamed",), overrides={"UserNamed": None}),
    ],
    published=["UserNamed"],
)
URL = BrokerUrl.parse("amqps://ada:secret@broker.example/v")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return asyncapi("commons", "1.2.3", REGISTRY, TOPOLOGY, URL)


def at(document: Any, reference: str) -> Any:
    """What a reference leads to."""
    assert reference.startswith("#/")
    for step in reference[2:].split("/"):
        document = document[step.replace("~1", "/").replace("~0", "~")]
    return document


def references(part: Any) -> list[str]:
    if isinstance(part, dict):
        own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return own + [found for value in part.values() for found in references(value)]
    return [found for value in part for found in references(value)] if isinstance(part, list) else []


# The rules of the specification, as far as they concern what we write


def test_it_is_json_and_says_what_it_is(document: dict[str, Any]) -> None:
    assert json.loads(json.dumps(document)) == document
    assert document["asyncapi"] == "3.0.0"
    assert document["info"] == {"title": "commons", "version": "1.2.3"}
    known = {"asyncapi", "info", "servers", "defaultContentType", "channels", "operations", "components"}
    assert document.keys() <= known


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    found = references(document)
    assert len(found) > 20
    for reference in found:
        assert at(document, reference) is not None


def test_components_have_keys_that_can_be(document: dict[str, Any]) -> None:
    for group in document["components"].values():
        assert all(re.fullmatch(r"[a-zA-Z0-9.\-_]+", key) for key in group)


def test_operations_use_messages_of_their_own_channel(document: dict[str, Any]) -> None:
    for operation in document["operations"].values():
        assert operation["action"] in {"send", "receive"}
        channel = operation["channel"]["$ref"]
        assert re.fullmatch(r"#/channels/[^/]+", channel)
        assert operation["messages"]
        for message in operation["messages"]:
            assert message["$ref"].startswith(f"{channel}/messages/")


def test_channels_say_what_they_are_in_amqp(document: dict[str, Any]) -> None:
    for channel in document["channels"].values():
        binding = channel["bindings"]["amqp"]
        assert binding["bindingVersion"] == "0.3.0"
        assert binding.keys() == {"is", "bindingVersion", "queue" if binding["is"] == "queue" else "exchange"}
        assert binding["is"] in {"queue", "routingKey"}
        assert isinstance(channel["address"], str)


def test_the_server_has_no_password(document: dict[str, Any]) -> None:
    assert document["servers"] == {
        "broker": {
            "host": "broker.example:5671",
            "protocol": "amqps",
            "protocolVersion": "0.9.1",
            "pathname": "/v",
        }
    }
    assert "secret" not in json.dumps(document)
    assert "servers" not in asyncapi("commons", "1", REGISTRY, TOPOLOGY)


# What it says


def test_what_is_sent(document: dict[str, Any]) -> None:
    sent = [name for name, each in document["operations"].items() if each["action"] == "send"]
    assert sent == ["send.UserNamed", "send.ThreadCreated", "send.urn_thread.deleted"]
    channel = document["channels"]["publish.urn_thread.deleted"]
    assert channel["address"] == "urn:thread.deleted"
    assert channel["bindings"]["amqp"]["exchange"] == {
        "name": "commons",
        "type": "topic",
        "durable": True,
        "autoDelete": False,
    }


def test_what_is_received_also_by_longer_keys(document: dict[str, Any]) -> None:
    assert [each for each in document["operations"] if each.startswith("receive")] == [
        "receive.notifications"
    ]
    channel = document["channels"]["queue.commons.notifications"]
    assert list(channel["messages"]) == ["ThreadCreated", "urn_thread.deleted"]
    assert channel["bindings"]["amqp"]["queue"] == {
        "name": "commons.notifications",
        "durable": True,
        "exclusive": False,
        "autoDelete": False,
    }


def test_a_message_has_its_schema_and_versions(document: dict[str, Any]) -> None:
    message = document["components"]["messages"]["ThreadCreated"]
    assert (message["name"], message["title"]) == ("ThreadCreated", "ThreadCreated version 2")
    assert message["summary"] == "Somebody has started a thread."
    version = message["headers"]["properties"]["x-penstock-type-version"]
    assert version == {"type": "integer", "minimum": 1, "maximum": 2}
    schema = at(document, message["payload"]["$ref"])
    assert schema["required"] == ["id", "author"]
    author = at(document, schema["properties"]["author"]["$ref"])
    assert author["properties"]["friends"]["items"]["$ref"] == "#/components/schemas/ThreadCreated.Author"
    assert {"$ref": "#/components/schemas/ThreadCreated"} in schema["properties"]["parent"]["anyOf"]


def test_dataclasses_and_models_have_theirs(document: dict[str, Any]) -> None:
    messages, schemas = document["components"]["messages"], document["components"]["schemas"]
    assert "summary" not in messages["urn_thread.deleted"]
    assert schemas["urn_thread.deleted"]["required"] == ["id"]
    assert schemas["UserNamed"]["properties"]["name"]["type"] == "string"
    assert schemas["UserNamed.Badge"]["required"] == ["colour"]
    assert "$defs" not in schemas["UserNamed"]


def test_an_application_of_nothing_has_a_document() -> None:
    document = asyncapi("nothing", "0", Registry(), Topology())
    assert (document["channels"], document["operations"]) == ({}, {})
