from __future__ import annotations

import pickle

from penstock.errors import (
    BadAnchor,
    BadWitnessPolicy,
    NotAcceptable,
    PersistentError,
    TransientError,
    Unavailable,
)


def test_a_broken_rule_is_named_and_travels_from_executors_to_the_driver() -> None:
    sent = pickle.loads(pickle.dumps(BadAnchor("via", "it leads elsewhere")))  # noqa: S301  made a line ago
    assert (type(sent), sent.rule, str(sent)) == (BadAnchor, "via", "it leads elsewhere")


def test_errors_say_themselves_whether_to_try_again() -> None:
    assert issubclass(NotAcceptable, PersistentError)
    assert issubclass(Unavailable, TransientError)


def test_a_bad_policy_says_where_it_goes_wrong() -> None:
    bad = BadWitnessPolicy("no word", policy="AND x", column=5)
    assert (str(bad), bad.policy, bad.column) == ("no word (column 5): AND x", "AND x", 5)
