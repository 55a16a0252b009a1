"""Messages got on a queue's page: put back, or not, and then not by accident."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.panel.site.stage import Stage
    from tests.servers.chromium import Tab

GOT = ".message header"


def filled(stage: Stage, name: str) -> str:
    """A queue with two messages; its path."""
    path = f"/queues/%2F/{name}"
    stage.api("PUT", f"/api{path}", {})
    for body in ("first", "second"):
        stage.publish(name, body)
    return path


def waiting(stage: Stage, path: str) -> int:
    found: int = stage.api("GET", f"/api{path}")["messages"]
    return found


def test_what_is_got_goes_back_unless_told_otherwise(stage: Stage, tab: Tab) -> None:
    path = filled(stage, "got-back")
    tab.go(stage.url + path)
    tab.click("Get")
    tab.see("1 message got.")
    tab.see("first", ".message pre")
    assert waiting(stage, path) == 2
    tab.click("Get")
    tab.see("redelivered", GOT)


@pytest.mark.parametrize("mode", ["ack_requeue_false", "reject_requeue_false"])
def test_what_does_not_come_back_is_asked_about_first(stage: Stage, tab: Tab, mode: str) -> None:
    path = filled(stage, mode)
    tab.go(stage.url + path)
    tab.fill("ackmode", mode)
    tab.fill("get-count", "2")
    tab.click("Get")
    tab.see("Up to 2 messages at its head", "dialog")
    tab.click("Cancel", "dialog")
    tab.wait("document.querySelector('dialog') === null")
    assert waiting(stage, path) == 2
    tab.click("Get")
    tab.click("Take", "dialog")
    tab.see("2 messages got.")
    assert waiting(stage, path) == 0
    tab.click("Get")
    tab.click("Take", "dialog")
    tab.see("No message is ready.")


def test_a_count_that_cannot_be_is_told(stage: Stage, tab: Tab) -> None:
    path = filled(stage, "miscounted")
    tab.go(stage.url + path)
    tab.run("document.querySelector('[name=get-count]').form.noValidate = true")
    tab.fill("get-count", "0")
    tab.click("Get")
    tab.see("count is from 1", "[role=alert]")
