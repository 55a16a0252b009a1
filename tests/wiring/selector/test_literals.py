"""Numbers, texts and names as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wiring.selector import literals

#: Written, meant. JMS 2.0 §3.8.1.1 has most of them as its examples.
NUMBERS: list[tuple[str, int | float]] = [
    ("0", 0),
    ("00", 0),
    ("57", 57),
    ("957", 957),
    ("91L", 91),
    ("91l", 91),
    ("0x1F", 31),
    ("0X1fL", 31),
    ("18446744073709551615", 2**64 - 1),
    ("0xFFFFFFFFFFFFFFFF", 2**64 - 1),
    ("7E3", 7000.0),
    ("57.9E2", 5790.0),
    ("57.9e-2", 0.579),
    ("1e+2", 100.0),
    ("7.", 7.0),
    ("7.E1", 70.0),
    ("95.7", 95.7),
    (".5", 0.5),
    ("0.5", 0.5),
    ("1.5f", 1.5),
    ("2d", 2.0),
    ("017.5", 17.5),  # no octal with a point
    ("1e-999", 0.0),
]


@pytest.mark.parametrize(("written", "meant"), NUMBERS)
def test_numbers(written: str, meant: float) -> None:
    value = literals.read_number(written)
    assert (type(value), value) == (type(meant), meant)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("12abc", "12abc is not a number"),
        ("0x", "0x is not a number"),
        ("0xG", "0xG is not a number"),
        ("1e", "1e is not a number"),
        ("1_000", "1_000 is not a number"),
        ("017", "octal: write 17"),  # 15 to Java, 17 to everybody else
        ("18446744073709551616", "too large a number"),
        ("0x10000000000000000", "too large a number"),
        ("1E999", "1E999 is too large a number"),
    ],
)
def test_what_is_no_number(written: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        literals.read_number(written)


@pytest.mark.parametrize(
    ("text", "written"), [("", "''"), ("it's", "'it''s'"), ("''", "''''''"), ("é\n", "'é\n'")]
)
def test_texts(text: str, written: str) -> None:
    assert literals.write_text(text) == written
    assert literals.read_text(written) == text


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("region", "region"),
        ("_x$1", "_x$1"),
        ("$", "$"),
        ("naïve", "naïve"),
        ("x-region", '"x-region"'),
        ("1st", '"1st"'),
        ('say "hi"', '"say ""hi"""'),
        ("And", '"And"'),  # a keyword in any case
        ("\u0131s", "\u0131s"),  # a dotless i is no I
        ("null", '"null"'),
    ],
)
def test_names(name: str, written: str) -> None:
    assert literals.write_name(name) == written
    assert written == name or literals.read_name(written) == name


@given(st.text())
def test_every_text_can_be_written(text: str) -> None:
    assert literals.read_text(literals.write_text(text)) == text
