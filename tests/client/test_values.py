from __future__ import annotations

import pytest

from penstock.client import Binding, Exchange, Outgoing, Queue, ServerInfo


def test_what_is_sent_is_mandatory_and_what_is_declared_is_durable() -> None:
    assert Outgoing("e", "k", b"").mandatory
    assert Exchange("e").durable
    assert Queue("q").durable


def test_things_with_arguments_can_be_kept_in_sets() -> None:
    things = {Exchange("e", arguments={"a": 1}), Queue("q", arguments={}), Binding("e", Queue("q"), "k")}
    assert Exchange("e", arguments={"a": 1}) in things
    assert Exchange("e", arguments={"a": 2}) not in things


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("3.10.8", (3, 10, 8)), ("4.3.0-rc.1", (4, 3, 0)), ("4.3.0+beta", (4, 3, 0)), ("dev", ()), ("", ())],
)
def test_the_servers_version_is_its_leading_numbers(version: str, numbers: tuple[int, ...]) -> None:
    assert ServerInfo.of({"version": version}).version == numbers


def test_the_servers_capabilities_are_those_that_are_true() -> None:
    info = ServerInfo.of({"product": "P", "capabilities": {"a": True, "b": False, "c": 1}})
    assert info == ServerInfo("P", (), frozenset({"a"}))
    assert ServerInfo.of({"capabilities": 7}) == ServerInfo()
