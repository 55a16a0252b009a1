from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import NotPermitted, UnknownVirtualHost
from penstock.panel.replies import ApiFault
from penstock.panel.visit import NOBODY, Visit
from tests.panel.house import House

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def house() -> Iterator[House]:
    with House() as house:
        house.put("/vhosts/other")
        house.user("manager", "management", vhosts=("other",))
        house.user("monitor", "monitoring", vhosts=())
        yield house


def visit(house: House, user: str) -> Visit:
    return Visit(panel=house.asker.panel, user=house.embedded.front.access.realm.users.get(user))


@pytest.mark.parametrize(
    ("user", "tags"),
    [
        ("guest", {"administrator", "monitoring", "policymaker", "management"}),
        ("monitor", {"monitoring", "management"}),
        ("manager", {"management"}),
    ],
)
def test_a_tag_stands_for_the_lower_ones(house: House, user: str, tags: set[str]) -> None:
    assert visit(house, user).tags == tags
    assert Visit(panel=house.asker.panel, user=NOBODY).tags == set()


def test_a_tag_is_demanded(house: House) -> None:
    visit(house, "manager").demand("management")
    with pytest.raises(ApiFault, match="user 'manager' needs the tag monitoring"):
        visit(house, "manager").demand("monitoring")


def test_who_monitors_sees_every_virtual_host_and_others_their_own(house: House) -> None:
    assert [host.name for host in visit(house, "manager").hosts()] == ["other"]
    assert [host.name for host in visit(house, "monitor").hosts()] == ["/", "other"]
    assert visit(house, "monitor").host("/").name == "/"
    with pytest.raises(NotPermitted, match="access to virtual host '/' is refused for user 'manager'"):
        visit(house, "manager").host("/")


def test_who_may_look_may_not_therefore_touch(house: House) -> None:
    with pytest.raises(NotPermitted):
        visit(house, "monitor").guard("/")
    assert visit(house, "manager").guard("other").user == "manager"


def test_a_virtual_host_that_is_not_there_is_said(house: House) -> None:
    with pytest.raises(UnknownVirtualHost):
        visit(house, "guest").host("none")
