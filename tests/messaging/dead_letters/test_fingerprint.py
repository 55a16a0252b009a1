from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.messaging.dead_letters.fingerprint import fingerprint, pattern


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("no thread 17", "no thread #"),
        ("no thread '17-b' in \"x\"", "no thread '…' in '…'"),
        ("timeout after 30.5s at 10.0.0.1:5432", "timeout after #s at #"),
        ("<Thread object at 0x7f3a>", "<Thread object at #>"),
        ("row 3f2504e0-4f89-11d3-9a0c-0305e82c3301 is gone", "row # is gone"),
        ("hash 9f86d081884c7d659a2f is bad", "hash # is bad"),
        ("a deadbeef is no number", "a deadbeef is no number"),
        ("one\nline is enough", "one"),
        ("  many   spaces  ", "many spaces"),
        ("", ""),
    ],
)
def test_particulars_are_taken_out(error: str, expected: str) -> None:
    assert pattern(error) == expected


def test_errors_of_a_kind_have_one_fingerprint() -> None:
    assert fingerprint("KeyError", "'a'", "failed") == fingerprint("KeyError", "'b'", "failed")
    assert fingerprint("E", "no row 1", "failed") == fingerprint("E", "no row 200", "failed")


@pytest.mark.parametrize(
    "other",
    [("ValueError", "no row 1", "failed"), ("E", "no table 1", "failed"), ("E", "no row 1", "expired")],
)
def test_other_kinds_have_others(other: tuple[str, str, str]) -> None:
    assert fingerprint(*other) != fingerprint("E", "no row 1", "failed")


@given(st.text(), st.text(), st.text())
def test_any_text_has_a_fingerprint(error_class: str, error: str, reason: str) -> None:
    assert len(fingerprint(error_class, error, reason)) == 12
    assert pattern(error).count("\n") == 0
