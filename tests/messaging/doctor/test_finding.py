from __future__ import annotations

from penstock.messaging.doctor import Finding, Severity


def test_a_finding_is_told_in_one_line() -> None:
    assert str(Finding(Severity.RISK, "queue q", "it is too small")) == "queue q: it is too small"


def test_some_are_worse_than_others() -> None:
    assert Severity.REFUSED > Severity.RISK > Severity.NOTE
