from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING

import pytest

from penstock.client import connect
from penstock.errors import LoginRefused

if TYPE_CHECKING:
    from tests.cli.office import Office


@pytest.fixture
def user() -> str:
    return f"ada-{uuid.uuid4().hex[:8]}"


def can_come(office: Office, user: str, password: str) -> bool:
    async def came() -> bool:
        running = office.managed.running
        try:
            async with await connect(f"amqp://{user}:{password}@{running.host}:{running.port}/"):
                return True
        except LoginRefused:
            return False

    return asyncio.run(came())


def test_a_user_is_added_with_a_password_that_nobody_sees(office: Office, user: str) -> None:
    said = office.run("users", "add", user, "--all", "--tag", "monitoring", given="secret\nsecret\n")
    assert "secret" not in said
    assert can_come(office, user, "secret")
    [row] = [each for each in office.ask("users", "list") if each["name"] == user]
    assert row == {"name": user, "tags": ["monitoring"], "vhosts": ["/"]}
    assert "already" in office.run("users", "add", user, "--stdin", given="x\n", code=2)


def test_another_password_leaves_the_tags_and_other_tags_the_password(office: Office, user: str) -> None:
    office.run("users", "add", user, "--all", "--tag", "management", "--stdin", given="one\n")
    office.run("users", "password", user, "--stdin", given="two\n")
    assert (can_come(office, user, "one"), can_come(office, user, "two")) == (False, True)
    office.run("users", "tags", user, "monitoring", "policymaker")
    assert can_come(office, user, "two")
    [row] = [each for each in office.ask("users", "list") if each["name"] == user]
    assert sorted(row["tags"]) == ["monitoring", "policymaker"]


def test_permissions_are_shown_said_and_taken_away(office: Office, user: str) -> None:
    office.run("users", "add", user, "--stdin", given="one\n")
    assert office.ask("users", "permissions", user) == []
    [row] = office.ask("users", "permissions", user, "--read", "^mine")
    assert (row["vhost"], row["configure"], row["write"], row["read"]) == ("/", "", "", "^mine")
    [row] = office.ask("users", "permissions", user, "--write", "^mine")
    assert (row["write"], row["read"]) == ("^mine", "^mine")
    assert office.ask("users", "permissions", user, "--clear") == []


def test_a_user_is_deleted_after_asking(office: Office, user: str) -> None:
    office.run("users", "add", user, "--stdin", given="one\n")
    office.run("users", "delete", user, given="n\n", code=1)
    office.run("users", "delete", user, given="y\n")
    assert user not in [each["name"] for each in office.ask("users", "list")]
    assert "has no users" in office.run("users", "delete", user, code=1)


def test_an_empty_password_is_none(office: Office, user: str) -> None:
    assert "at least one character" in office.run("users", "add", user, "--stdin", given="\n", code=2)


def test_who_may_not_is_told(office: Office) -> None:
    before = office.managed.management
    wrong = before.replace("guest:guest@", "guest:wrong@")
    said = office.run("users", "list", "--management", wrong, code=1)
    assert "does not let 'guest' in" in said
