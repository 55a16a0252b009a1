from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadPatch
from penstock.sidetree.patches.services import ADD, REMOVE
from penstock.sidetree.protocol import ION, ORB, SIDETREE, Protocol
from tests.sidetree.lives import service


@pytest.mark.parametrize(
    "made",
    [
        service(),
        service(serviceEndpoint={"any": ["thing"]}),
        service(serviceEndpoint=["https://a.example", {"uri": "x"}]),
        service(priority=0, routingKeys=["x"]),
        service(type="t" * 30),
    ],
)
def test_a_service_that_documents_may_list_is_taken(made: dict[str, Any]) -> None:
    ADD.check([made], ORB)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (5, "must have id, serviceEndpoint, type"),
        ({"id": "a", "type": "t"}, "must have id, serviceEndpoint, type"),
        (service("a b"), "1 to 50 letters"),
        (service(type=""), "1 to 30 bytes"),
        (service(type="t" * 31), "1 to 30 bytes"),
        (service(type=None), "1 to 30 bytes"),
        (service(serviceEndpoint=""), "must be a URI"),
        (service(serviceEndpoint="no uri"), "must be a URI"),
        (service(serviceEndpoint=5), "must be a URI"),
        (service(serviceEndpoint=None), "must be a URI"),
        (service(serviceEndpoint=[]), "must list something"),
        (service(serviceEndpoint=["https://a.example", "b"]), "must be a URI"),
    ],
)
def test_a_service_that_documents_may_not_list_is_refused(made: Any, reason: str) -> None:
    with pytest.raises(BadPatch, match=reason):
        ADD.check([made], ORB)


@pytest.mark.parametrize("value", [None, {}, [], [service("a"), service("a")]])
def test_services_are_a_list_of_different_ones(value: Any) -> None:
    with pytest.raises(BadPatch, match=r"must be a list|must list something|'a' stands twice"):
        ADD.check(value, ORB)


@pytest.mark.parametrize(
    ("protocol", "taken", "refused"),
    [
        (
            ORB,
            ["/", "/hub?a=b", "/a b", "http://", "https://a.example/{id}?q=a b", "urn:a", "urn:a b", "*"],
            ["", "hub", "a/b", "/a\n", "https://a b/", "https://{id}/", "urn:\x7f", "http://a:port", "/%zz"],
        ),
        (
            SIDETREE,
            ["", "hub", "a/b", "/hub", "any text", "a\n", "https://a.example/{id}"],
            ["http://", "https:///hub", "http:a", "urn:a"],
        ),
    ],
)
def test_an_endpoint_is_what_the_nodes_of_its_network_take(
    protocol: Protocol, taken: list[str], refused: list[str]
) -> None:
    ADD.check([service(str(place), serviceEndpoint=text) for place, text in enumerate(taken)], protocol)
    for text in refused:
        with pytest.raises(BadPatch, match="must be a URI"):
            ADD.check([service(serviceEndpoint=[text])], protocol)


@pytest.mark.parametrize("changes", [{"type": ""}, {"serviceEndpoint": ""}, {"serviceEndpoint": None}])
def test_what_no_other_network_takes_is_taken_by_ions(changes: dict[str, Any]) -> None:
    ADD.check([service(**changes)], ION)
    with pytest.raises(BadPatch, match=r"1 to 30 bytes|must be a URI"):
        ADD.check([service(**changes)], ORB)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"note": "more"}, "has no member 'note'"),
        ({"serviceEndpoint": ["https://a.example"]}, "must be one, not a list"),
    ],
)
def test_what_others_take_is_refused_by_ions(changes: dict[str, Any], reason: str) -> None:
    ADD.check([service(**changes)], ORB)
    with pytest.raises(BadPatch, match=reason):
        ADD.check([service(**changes)], ION)


@pytest.mark.parametrize("type_", ["é" * 15, "€" * 10, "𝄞" * 7])
def test_a_type_is_as_long_as_the_nodes_of_its_network_count(type_: str) -> None:
    # Go counts bytes, and throws the batch away; Node counts letters.
    ADD.check([service(type=type_)], ORB)
    with pytest.raises(BadPatch, match="1 to 30 bytes"):
        ADD.check([service(type=f"{type_}€")], ORB)
    for protocol in (ION, SIDETREE):
        ADD.check([service(type="é" * 30)], protocol)
        with pytest.raises(BadPatch, match="to 30 letters"):
            ADD.check([service(type="é" * 31)], protocol)


def test_services_come_change_and_go() -> None:
    first = ADD.apply({}, [service("a"), service("b")])
    second = ADD.apply(first, [service("a", type="Other")])
    assert second["services"] == [service("a", type="Other"), service("b")]
    assert REMOVE.apply(second, ["a", "unknown"]) == {"services": [service("b")]}
    assert REMOVE.apply({"services": [service("a")]}, ["a"]) == {"services": []}


def test_where_no_services_were_listed_none_are_removed_from_a_list() -> None:
    assert REMOVE.apply({}, ["a"]) == {}


def test_services_are_removed_by_ids() -> None:
    REMOVE.check(["a"], ORB)
    REMOVE.check([], SIDETREE)
    for value in ([], ["a b"], [5], "a", None):
        with pytest.raises(BadPatch, match=r"ids must|1 to 50 letters"):
            REMOVE.check(value, ORB)
