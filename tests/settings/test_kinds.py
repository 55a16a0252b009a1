from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock.settings.address import Address
from penstock.settings.kinds import (
    ADDRESSES,
    FILE,
    NAMES,
    SECRET,
    TEXT,
    Kind,
    choice,
    count,
    duration,
    optional,
    seconds,
    share_or_size,
    size,
)

RULE = choice("4.3", "4.2")


@pytest.mark.parametrize(
    ("kind", "written", "value", "shown"),
    [
        (size(0, 1 << 20), "64KiB", 65536, "64KiB"),
        (duration(0, 60), "500ms", 0.5, "500ms"),
        (seconds(0, 100), "1min", 60, "1min"),
        (share_or_size(0.1, 0.9), "40%", 0.4, "40%"),
        (share_or_size(0.1, 0.9), "1GiB", 1 << 30, "1GiB"),
        (count(0, 10), " 7 ", 7, "7"),
        (count(0, 10), 7, 7, "7"),
        (RULE, 4.3, "4.3", "4.3"),  # TOML's number is the word
        (RULE, "4.2", "4.2", "4.2"),
        (optional(count(0, 10)), "None", None, "none"),
        (optional(count(0, 10)), None, None, "none"),
        (optional(count(0, 10)), "3", 3, "3"),
        (TEXT, "guest", "guest", "guest"),
        (SECRET, "hush", "hush", "***"),
        (FILE, "a/b", Path("a/b"), "a/b"),
        (FILE, Path("a"), Path("a"), "a"),
        (NAMES, "a, b", ("a", "b"), "a, b"),
        (NAMES, ["a"], ("a",), "a"),
        (NAMES, "none", (), "none"),
        (NAMES, "", (), "none"),
        (NAMES, [], (), "none"),
        (ADDRESSES, ":1,[::1]:2", (Address("", 1), Address("::1", 2)), ":1, [::1]:2"),
    ],
)
def test_a_value_is_read_shown_and_read_again(kind: Kind, written: Any, value: Any, shown: str) -> None:
    read = kind.read(written)
    assert (read, type(read)) == (value, type(value))
    assert kind.shown(read) == shown
    assert kind.read(read) == read


@pytest.mark.parametrize(
    ("kind", "written", "complaint"),
    [
        (size(16, 1024), "8B", "'8B' is not from 16B to 1KiB"),
        (size(16, 1024), 2048, "2048 is not from 16B to 1KiB"),
        (duration(1, 60), "2min", "'2min' is not from 1s to 1min"),
        (seconds(0, 100), "1.5s", "not a whole number of seconds"),
        (seconds(0, 100), 101, "101 is not from 0s to 100s"),
        (share_or_size(0.1, 0.9), 0.95, "95% is not from 10% to 90%"),
        (share_or_size(0.1, 0.9), 40, "40B is less than 1MiB"),
        (count(0, 10), "11", "'11' is not from 0 to 10"),
        (count(0, 10), "9" * 5000, "is not from 0 to 10"),
        (count(0, 10), -1, "-1 is not from 0 to 10"),
        (count(0, 10), "many", "'many' is not a whole number"),
        (count(0, 10), True, "True is not a whole number"),
        (count(0, 10), 1.0, "1.0 is not a whole number"),
        (RULE, "4.1", "'4.1' is not one of 4.3, 4.2"),
        (TEXT, "", "is not a text of at least one character"),
        (TEXT, 5, "is not a text"),
        (SECRET, "", "must be a text of at least one character"),
        (FILE, "", "is not a text"),
        (NAMES, 5, "5 is not a list"),
        (NAMES, [5], "5 is not a text"),
        (ADDRESSES, "nowhere", "is not an address"),
    ],
)
def test_a_bad_value_is_refused_in_words(kind: Kind, written: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        kind.read(written)


def test_the_home_folder_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert FILE.read("~/data") == Path("/home/ada/data")


def test_a_secret_that_may_be_missing_is_still_a_secret() -> None:
    assert optional(SECRET).is_secret
    assert optional(SECRET).shown("hush") == "***"
