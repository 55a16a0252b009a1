from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.witnesses.grammar import attainable_policy, parse_policy
from penstock.did.witnesses.policy import Policy, Requirement
from penstock.errors import BadWitnessPolicy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Policy()),
        (" \n", Policy()),
        ("AND", Policy()),
        ("OR", Policy(either=True)),
        ("OR AND", Policy()),  # the last one holds
        ("LogRequired", Policy(log_required=True)),
        ("OutOf(2,system)", Policy(system=Requirement(number=2))),
        ("OutOf(0,batch)", Policy(batch=Requirement(percent=0))),
        ("OutOf(0,batch) MinPercent(50,batch)", Policy(batch=Requirement(percent=50))),
        ("MinPercent(30,batch)", Policy(batch=Requirement(percent=30))),
        (
            "MinPercent(30,batch) OutOf(2,batch)",
            Policy(batch=Requirement(number=2, percent=30)),
        ),
        (
            "OutOf(1,system) OR MinPercent(100,batch) LogRequired",
            Policy(system=Requirement(number=1), either=True, log_required=True),
        ),
        (
            "  OutOf(1,system)   OutOf(3,system)\n",
            Policy(system=Requirement(number=3)),
        ),
    ],
)
def test_a_policy_is_read(text: str, expected: Policy) -> None:
    assert parse_policy(text) == expected


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("and", 1, "'and' is no word of a witness policy, but OutOf"),
        ("OutOf", 1, "no word"),
        ("OutOf(", 1, "no word"),
        ("OutOf(1,system", 1, "no word"),
        ("OutOf(1,system)x", 1, "no word"),
        ("MaxPercent(1,system)", 1, "no word"),
        ("AND OutOf(1, system)", 5, "no word"),  # no space after the comma
        ("OutOf()", 1, "two arguments"),
        ("OutOf(1)", 1, "two arguments"),
        ("OutOf(1,system,batch)", 1, "two arguments"),
        ("AND  OutOf(x,system)", 6, "whole number from 0, not 'x'"),
        ("OutOf(-1,system)", 1, "whole number from 0, not '-1'"),
        ("OutOf(1.5,system)", 1, "whole number"),
        ("OutOf(٣,system)", 1, "whole number"),
        ("OutOf(9999999999,system)", 1, "whole number"),
        ("MinPercent(0.2,system)", 1, "whole number"),
        ("LogRequired MinPercent(101,batch)", 13, "at most 100, not 101"),
        ("OutOf(1,witness)", 1, "batch or system, not 'witness'"),
        ("MinPercent(10,)", 1, "batch or system, not ''"),
    ],
)
def test_what_is_no_policy_is_refused_with_column_and_reason(text: str, column: int, reason: str) -> None:
    with pytest.raises(BadWitnessPolicy, match=reason) as caught:
        parse_policy(text)
    assert (caught.value.column, caught.value.policy) == (column, text)
    assert str(caught.value).endswith(f"(column {column}): {text}")


RULES = st.tuples(
    st.sampled_from(["OutOf", "MinPercent"]), st.integers(0, 100), st.sampled_from(["batch", "system"])
)


@given(st.lists(RULES), st.booleans(), st.booleans())
def test_the_last_word_about_a_role_holds(
    rules: list[tuple[str, int, str]],
    either: bool,  # noqa: FBT001  drawn
    log: bool,  # noqa: FBT001  drawn
) -> None:
    words = [f"{name}({number},{role})" for name, number, role in rules]
    words += ["OR" if either else "AND"] + ["LogRequired"] * log
    number = {"batch": 0, "system": 0}
    percent = {"batch": 100, "system": 100}
    for name, value, role in rules:
        if name == "MinPercent":
            percent[role] = value
        else:
            number[role] = value
            if value == 0:
                percent[role] = 0
    assert parse_policy(" ".join(words)) == Policy(
        batch=Requirement(number=number["batch"], percent=percent["batch"]),
        system=Requirement(number=number["system"], percent=percent["system"]),
        either=either,
        log_required=log,
    )


@given(st.text(alphabet="OutfMinPercentLogRqid(),01 5ANDORbachsyem", max_size=40))
def test_any_text_is_a_policy_or_refused(text: str) -> None:
    try:
        parse_policy(text)
    except BadWitnessPolicy as refused:
        assert 1 <= refused.column <= len(text)  # noqa: PT017  both may happen


def test_a_policy_that_no_anchor_can_meet_is_not_to_be_set() -> None:
    assert attainable_policy("OutOf(1,system)") == parse_policy("OutOf(1,system)")
    with pytest.raises(BadWitnessPolicy, match="keeps a ledger") as caught:
        attainable_policy("OutOf(1,system) LogRequired")
    assert caught.value.column == 17
