from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import penstock.cli.messages as module

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.office import Office


def test_a_message_is_published_peeked_at_and_taken(office: Office) -> None:
    office.fill()
    told = ["--header", "region=eu", "--property", "message_id=m1", "--property", "priority=3"]
    assert office.ask("messages", "publish", office.queue, "--body", "hello", *told) == {"routed": True}

    for _ in range(2):
        [seen] = office.ask("messages", "peek", office.queue)
        assert (seen["payload"], seen["properties"]["headers"]) == ("hello", {"region": "eu"})
        assert seen["properties"]["priority"] == 3
    lines = office.run("messages", "get", office.queue).splitlines()
    assert "message_id=m1" in lines[0]
    assert lines[1:] == ["  region: eu", "  | hello"]
    assert office.emptied() == []


def test_a_body_may_be_a_file_of_any_bytes(office: Office, tmp_path: Path) -> None:
    office.fill()
    (tmp_path / "body").write_bytes(b"\xff\x00\x01")
    office.run("messages", "publish", office.queue, "--file", str(tmp_path / "body"), "--transient")
    [seen] = office.ask("messages", "peek", office.queue)
    assert (seen["payload"], seen["payload_encoding"]) == ("/wAB", "base64")
    assert office.emptied() == [b"\xff\x00\x01"]


def test_what_no_queue_takes_is_told(office: Office) -> None:
    said = office.run("messages", "publish", "nowhere", "--exchange", "amq.direct", code=1)
    assert "no queue takes it" in said
    assert office.ask("messages", "publish", "nowhere", code=1) == {"routed": False}


def test_some_messages_are_moved(office: Office) -> None:
    there = f"{office.queue}-there"
    office.fill(b"one", b"two", b"three", message_id="m", headers={"region": "eu"})
    office.fill(queue=there)
    assert office.ask("messages", "move", office.queue, there, "--limit", "2")["moved"] == 2
    assert office.emptied() == [b"three"]
    [one, two] = office.ask("messages", "get", there, "-n", "5")
    assert [one["payload"], two["payload"]] == ["one", "two"]
    assert one["properties"]["headers"]["region"] == "eu"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["publish", "q", "--body", "a", "--file", "b"], "a message says one thing"),
        (["publish", "q", "--header", "region"], "a header is written NAME=VALUE"),
        (["publish", "q", "--property", "priority=high"], "priority is a number, not 'high'"),
        (["move", "q", "q"], "both where they are and where they go"),
    ],
)
def test_mistakes_are_told_in_one_line(office: Office, arguments: list[str], told: str) -> None:
    said = office.run("messages", *arguments, code=2)
    assert told in said
    assert said.count("\n") == 1


def test_a_queue_that_is_not_there_is_told(office: Office) -> None:
    assert "nowhere" in office.run("messages", "peek", "nowhere", code=1)
    assert "nowhere" in office.run("messages", "get", "nowhere", code=1)
    office.fill()
    assert "there is no queue nowhere" in office.run("messages", "move", office.queue, "nowhere", code=1)


def test_an_empty_queue_is_told_and_is_no_mistake(office: Office) -> None:
    office.fill()
    assert office.run("messages", "peek", office.queue) == "no messages\n"
    assert json.loads(office.run("messages", "peek", office.queue, "--json")) == []


def test_a_part_of_a_queue_is_peeked_at_where_the_broker_can(office: Office) -> None:
    office.fill(*(b"%d" % number for number in range(5)))
    if office.managed.name == "penstock":
        found = office.ask("messages", "peek", office.queue, "--position", "3", "-n", "1")
        assert [each["payload"] for each in found] == ["3"]
    else:
        said = office.run("messages", "peek", office.queue, "--position", "3", code=2)
        assert "need a Penstock broker" in said


def test_a_body_is_shown_whole_where_that_is_asked_for(office: Office) -> None:
    office.fill(b"x" * 60_000)
    [seen] = office.ask("messages", "peek", office.queue)
    assert len(seen["payload"]) == 60_000
    assert office.run("messages", "peek", office.queue, "--whole").count("x") >= 60_000
    assert "characters more: --whole" in office.run("messages", "peek", office.queue)


def test_as_many_are_peeked_at_as_are_wanted(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PEEKED", 2)
    office.fill(*(b"%d" % number for number in range(5)))
    for count in (3, 9):
        found = office.ask("messages", "peek", office.queue, "-n", str(count))
        assert [each["payload"] for each in found] == list("01234"[:count])


def test_a_body_that_no_answer_holds_is_told(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WHOLE_BYTES", 5)
    office.fill(b"123456")
    said = office.run("messages", "peek", office.queue, "--whole")
    assert ("are cut" in said) is (office.managed.name == "penstock")


def test_a_queue_without_a_binding_cannot_be_followed(office: Office) -> None:
    office.fill()
    assert "is bound to no exchange" in office.run("messages", "tail", office.queue, "--queue", code=2)
