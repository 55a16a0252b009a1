from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from penstock.server.amqp.wording import shortened, shown, type_name


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (5, "signedint"),
        (-(2**31), "signedint"),
        (2**31, "long"),
        (True, "bool"),
        (1.5, "double"),
        (Decimal("1.5"), "decimal"),
        ("text", "longstr"),
        (b"\xff", "longstr"),  # octets that are no UTF-8 come as bytes
        (datetime(2026, 1, 1, tzinfo=UTC), "timestamp"),
        ({}, "table"),
        ([], "array"),
        (None, "void"),
        (object(), "binary"),
    ],
)
def test_types_have_rabbitmqs_names(value: object, name: str) -> None:
    assert type_name(value) == name


@pytest.mark.parametrize(("value", "text"), [("some", '<<"some">>'), (5, "5"), (True, "true")])
def test_values_are_shown_as_erlang_prints_them(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_text_that_fits_stays() -> None:
    assert shortened("x" * 255) == "x" * 255


def test_a_text_that_does_not_fit_ends_with_dots() -> None:
    assert shortened("x" * 256) == "x" * 252 + "..."


def test_no_letter_is_cut_in_two() -> None:
    assert shortened("ü" * 10, 10) == "üüü..."
