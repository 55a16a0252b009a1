"""Which dead letters are whose: the broker's permissions on the queues that they came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import NotPermitted, UnknownVirtualHost
from penstock.panel.own.letter_guard import LetterGuard
from penstock.panel.visit import Visit
from penstock.server.permissions import Permission
from tests.panel.house import House

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def house() -> Iterator[House]:
    with House() as opened:
        yield opened


def guard(house: House, *tags: str, vhost: str = "/", **patterns: str) -> LetterGuard:
    realm = house.embedded.front.access.realm
    house.user("bob", *tags, vhosts=())
    if patterns:
        realm.permissions.grant(Permission(user="bob", vhost="/", **patterns))
    return LetterGuard(Visit(panel=house.asker.panel, user=realm.users.get("bob")), vhost)


def test_contents_are_for_those_who_may_read_from_the_queue(house: House) -> None:
    withheld = guard(house, "monitoring", read="^mail$").withheld(["mail", "payroll", "payroll"])
    assert withheld == {"payroll": "read access to queue 'payroll' in vhost '/' refused for user 'bob'"}


def test_who_monitors_looks_at_any_virtual_host_and_reads_nothing_there(house: House) -> None:
    assert set(guard(house, "monitoring", vhost="elsewhere").withheld(["mail"])) == {"mail"}


def test_who_does_not_monitor_looks_at_their_own_virtual_hosts(house: House) -> None:
    with pytest.raises(NotPermitted):
        guard(house, "policymaker")


def test_a_virtual_host_that_is_not_there_is_nobodys(house: House) -> None:
    with pytest.raises(UnknownVirtualHost):
        guard(house, "policymaker", vhost="elsewhere", read=".*")


def test_to_send_is_to_take_and_to_publish_and_to_discard_is_to_purge(house: House) -> None:
    reader = guard(house, "policymaker", read="^mail$")
    reader.check_reading(["mail"])
    reader.check_discarding(["mail"])
    for check in (reader.check_reading, reader.check_discarding):
        with pytest.raises(NotPermitted, match="queue 'payroll'"):
            check(["mail", "payroll"])
    with pytest.raises(NotPermitted, match=r"exchange 'amq.default'"):
        reader.check_sending(["mail"])
