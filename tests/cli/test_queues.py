from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.office import Office


def test_a_queue_is_declared_listed_shown_and_deleted(office: Office) -> None:
    made = office.ask("queues", "declare", office.queue, "--argument", "x-max-length=5")
    assert made["arguments"] == {"x-max-length": 5}
    assert office.run("queues", "declare", office.queue, "--argument", "x-max-length=5")

    [row] = office.ask("queues", "list", "--name", office.queue)
    assert (row["name"], row["vhost"], row["durable"]) == (office.queue, "/", True)
    shown = office.run("queues", "show", office.queue)
    assert "x-max-length=5" in shown
    assert "durable" in shown

    assert office.ask("queues", "delete", office.queue, "--yes") == {"deleted": office.queue}
    assert office.ask("queues", "list", "--name", office.queue) == []


def test_how_long_the_first_has_waited_is_told_where_the_broker_does(office: Office) -> None:
    office.fill(b"one")
    is_told = "oldest_age" in office.run("queues", "show", office.queue)
    assert is_told is (office.managed.name == "penstock")


def test_a_list_is_a_table_for_people(office: Office) -> None:
    office.fill(b"one")
    lines = office.run("queues", "list").splitlines()
    assert lines[0].split("\t")[0] == "name"
    assert any(line.startswith(f"{office.queue}\t") for line in lines)
    assert office.run("queues", "list", "--all-vhosts").startswith("vhost\tname")


def test_a_queue_is_emptied_after_asking(office: Office) -> None:
    office.fill(b"one", b"two")
    assert "Aborted" in office.run("queues", "purge", office.queue, given="n\n", code=1)
    assert "is empty" in office.run("queues", "purge", office.queue, given="y\n")
    assert office.emptied() == []


def test_of_several_queues_none_is_emptied_unless_all_are_there(office: Office) -> None:
    names = [office.queue, f"{office.queue}-too"]
    for name in names:
        office.fill(b"one", queue=name)
    assert "nowhere" in office.run("queues", "purge", *names, "nowhere", "--yes", code=1)
    assert office.ask("messages", "peek", office.queue)
    assert "are empty" in office.run("queues", "purge", *names, "--yes")
    assert [office.emptied(name) for name in names] == [[], []]


def test_messages_are_moved_in_order(office: Office) -> None:
    there = f"{office.queue}-there"
    office.fill(b"one", b"two", b"three")
    office.fill(queue=there)
    assert office.ask("queues", "move", office.queue, there) == {"moved": 3, "to": there}
    assert office.emptied() == []
    assert office.emptied(there) == [b"one", b"two", b"three"]


@pytest.mark.parametrize("verb", ["show", "purge", "delete"])
def test_a_queue_that_is_not_there_is_told(office: Office, verb: str) -> None:
    said = office.run("queues", verb, "nowhere", code=1)
    assert "has no queues / nowhere" in said
    assert said.count("\n") == 1


def test_what_the_broker_refuses_is_told_with_its_reason(office: Office) -> None:
    office.fill()
    said = office.run("queues", "declare", office.queue, "--transient", code=1)
    assert "refuses it" in said
    assert "durable" in said
    assert "written NAME=VALUE" in office.run("queues", "declare", "q", "--argument", "x", code=2)


def test_a_queue_that_is_not_empty_stays_if_asked(office: Office) -> None:
    office.fill(b"one")
    office.run("queues", "delete", office.queue, "--if-empty", "--yes", code=1)
    assert office.emptied() == [b"one"]
