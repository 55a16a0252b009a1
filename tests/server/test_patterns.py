from __future__ import annotations

import time

import pytest

from penstock.errors import BadPermission
from penstock.server.patterns import LONGEST_NAME, check_pattern, compiled, expanded


@pytest.mark.parametrize(
    ("pattern", "fits", "fits_not"),
    [
        ("", ["", "\n"], ["a"]),  # nothing but the empty name; the newline is PCRE's and Python's $
        (".*", ["", "a"], []),
        ("orders", ["orders", "my-orders-2"], ["order"]),  # searched, not matched
        ("^orders$", ["orders"], ["orders2", "my-orders"]),
        (r"^(a|b)\..*", ["a.x", "b."], ["c.x", "a"]),
        (r"^(?!amq\.).*$", ["orders"], ["amq.topic"]),
    ],
)
def test_a_pattern_means_what_it_means_to_rabbitmq(
    pattern: str, fits: list[str], fits_not: list[str]
) -> None:
    check_pattern(pattern)
    assert [name for name in fits + fits_not if compiled(pattern).search(name)] == fits


@pytest.mark.parametrize(
    "pattern",
    [
        "^.*a.*a.*b",
        ".*orders.*",
        "^[a-z]{1,20}-[0-9]{1,5}$",
        r"^(a|b|c)\.(d|e)\.[a-z]+\.[a-z]+$",
        "^(?>a+)b",
        "^a*+b",
        "^(a)?(?(1)b|c)",
        "^(a)?(?(1)b)",
        "^(abc){1,50}$",
    ],
)
def test_what_people_write_is_allowed_and_quick(pattern: str) -> None:
    check_pattern(pattern)
    started = time.thread_time()
    compiled(pattern).search("a" * LONGEST_NAME)
    assert time.thread_time() - started < 1


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "^(a|a)*$",
        "^(a|ab)+$",
        "(a?){30}a{30}",
        "^" + "a?" * 30 + "a" * 30,
        "^.*.*.*.*b",
        ".*.*.*b",
        "^((a*)?b?)*$",
        "^(?=(a+)+$)",
        "^(?:(?>ab|cd))*$",
    ],
)
def test_what_could_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(BadPermission, match="could take too long"):
        check_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [
        ("(", "cannot be read: missing "),
        ("*", "cannot be read: nothing to repeat"),
        ("[[:alpha:]]", "cannot be read: Possible nested set"),
        ("x{0,99999999999}", "cannot be read: the repetition number is too large"),
        ("x" * 1025, "at most 1024 characters, this one 1025"),
    ],
)
def test_what_cannot_be_read_is_refused(pattern: str, complaint: str) -> None:
    for _ in range(2):  # re remembers what it compiled, and warns no more
        with pytest.raises(BadPermission, match=complaint):
            check_pattern(pattern)


def test_variables_are_taken_literally() -> None:
    pattern = expanded(r"^{vhost}\.{username}\.{other}", {"vhost": "a+b", "username": "x.y"})
    assert pattern == r"^a\+b\.x\.y\.{other}"
