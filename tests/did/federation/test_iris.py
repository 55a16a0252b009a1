from __future__ import annotations

from penstock.did.federation.iris import Iris

IRIS = Iris("https://a.example")


def test_everything_of_a_service_is_named_after_it() -> None:
    assert IRIS.service == "https://a.example/services/orb"
    assert IRIS.key == "https://a.example/services/orb/keys/main-key"
    assert IRIS.collection("followers") == "https://a.example/services/orb/followers"
    assert IRIS.activity("1") == "https://a.example/services/orb/activities/1"


def test_a_new_activity_is_like_no_other_and_an_answer_always_the_same() -> None:
    assert IRIS.new_activity() != IRIS.new_activity()
    assert IRIS.answer("accept", "x") == IRIS.answer("accept", "x") != IRIS.answer("reject", "x")
    assert IRIS.answer("a", "bc") != IRIS.answer("ab", "c")
