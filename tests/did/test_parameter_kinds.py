from __future__ import annotations

import pytest

from penstock.did.parameter_kinds import (
    ADDRESS,
    PUBLIC_URL,
    STORAGE_URL,
    SWITCH,
    WITNESS_POLICY,
    factor,
    milliseconds,
    names_among,
)


@pytest.mark.parametrize(
    ("written", "is_on"),
    [("true", True), ("True", True), ("t", True), (1, True), ("0", False), (False, False), (" F ", False)],
)
def test_a_switch_is_read_as_go_reads_it(written: object, is_on: bool) -> None:  # noqa: FBT001  a column of the table
    assert SWITCH.read(written) is is_on


def test_a_switch_is_on_or_off() -> None:
    assert SWITCH.shown(SWITCH.read("T")) == "true"
    with pytest.raises(ValueError, match="'yes' is not true or false"):
        SWITCH.read("yes")


@pytest.mark.parametrize(("written", "number"), [("1.5", 1.5), (2, 2.0), (1000, 1000.0)])
def test_a_factor_is_a_number(written: object, number: float) -> None:
    assert factor(1, 1000).read(written) == number


@pytest.mark.parametrize("wrong", ["much", None, 0.5, "nan", "inf", 1001])
def test_what_is_no_factor_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="is not"):
        factor(1, 1000).read(wrong)


@pytest.mark.parametrize(
    ("written", "found"), [(60_000, 60_000), ("2000", 2000), ("1m30s", 90_000), ("1.5s", 1500), (" 7 ", 7)]
)
def test_milliseconds_are_plain_numbers_or_have_a_unit(written: object, found: int) -> None:
    assert milliseconds(1, 100_000).read(written) == found


@pytest.mark.parametrize("wrong", [0, "2m", True, "soon", None])
def test_what_is_no_time_in_bounds_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="is not"):
        milliseconds(1, 100_000).read(wrong)


def test_names_are_some_of_those_known_each_once() -> None:
    kind = names_among("create", "update")
    assert kind.read("update, Create,update") == ("update", "create")
    assert kind.read(["create"]) == ("create",)
    assert kind.shown(("create", "update")) == "create,update"
    with pytest.raises(ValueError, match="revoke: not one of create, update"):
        kind.read("create,revoke")
    with pytest.raises(ValueError, match="is not a list"):
        kind.read(7)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("https://orb.example.com", "https://orb.example.com"),
        (" https://Orb.Example.com:8443/ ", "https://orb.example.com:8443"),
        ("orb.example.com", "https://orb.example.com"),
        ("http://127.0.0.1:8326", "http://127.0.0.1:8326"),
        ("http://[::1]:8326", "http://[::1]:8326"),
    ],
)
def test_a_public_url_has_one_spelling(written: str, found: str) -> None:
    assert PUBLIC_URL.read(written) == found


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "https://a.example/orb",
        "ftp://a.example",
        "did:web:a.example",
        "https://me@a.example",
        "https://@a.example",
        "https://a:0",
        "https://a:x",
        "https://a:",
        "https://a:65536",
        "https://a b.example",
        "https://a..example",
        "https://ä.example",
        "https://a.example\\b",
    ],
)
def test_what_others_cannot_come_by_is_no_public_url(wrong: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  the words are each rule's own
        PUBLIC_URL.read(wrong)


def test_contents_are_stored_where_something_can_write() -> None:
    for written in ("/var/lib/cas", "memory://cas", "file:///var/lib/cas"):
        assert STORAGE_URL.read(f" {written} ") == written
    with pytest.raises(ValueError, match="installed here"):
        STORAGE_URL.read("nowhere://bucket/cas")


def test_a_witness_policy_is_one_that_can_be_met() -> None:
    assert WITNESS_POLICY.read("OutOf(1,system)") == "OutOf(1,system)"
    with pytest.raises(ValueError, match="two arguments"):
        WITNESS_POLICY.read("OutOf(many)")
    with pytest.raises(ValueError, match="keeps a ledger"):
        WITNESS_POLICY.read("LogRequired")


def test_an_address_is_host_and_port() -> None:
    assert ADDRESS.shown(ADDRESS.read("[::1]:443")) == "[::1]:443"
    with pytest.raises(ValueError, match="not an address"):
        ADDRESS.read("localhost")
