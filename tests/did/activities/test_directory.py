from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.did.activities.directory import Directory

BASE = "https://a.example"
SERVICE = f"{BASE}/services/orb"
DIRECTORY = Directory(
    base=BASE,
    service="did:web:a.example:services:orb",
    service_url=SERVICE,
    others=["https://b.example"],
    min_resolvers=2,
    log="https://vct.example/maple",
)


@pytest.mark.parametrize("resource", [BASE, SERVICE, "did:web:a.example:services:orb"])
def test_a_domain_tells_of_its_service_and_its_ledger(resource: str) -> None:
    found = DIRECTORY.answer(resource)
    assert found is not None
    assert (found.subject, found.target, found.href("vct")) == (
        resource,
        SERVICE,
        "https://vct.example/maple",
    )
    assert found.properties == {"https://trustbloc.dev/ns/ledger-type": "vct-v1"}
    without = replace(DIRECTORY, log="").answer(resource)
    assert without is not None
    assert (without.href("vct"), without.properties) == ("", {})


@pytest.mark.parametrize("path", ["/sidetree/v1/identifiers", "/sidetree/v1/operations"])
def test_endpoints_are_found_here_and_at_others(path: str) -> None:
    found = DIRECTORY.answer(BASE + path)
    assert found is not None
    assert (found.target, found.href("alternate")) == (BASE + path, f"https://b.example{path}")


def test_clients_are_told_where_to_turn_to() -> None:
    for endpoint in DIRECTORY.endpoints().values():
        found = DIRECTORY.answer(endpoint)
        assert found is not None
        assert found.target == endpoint


def test_host_meta_tells_how_to_ask_and_which_service_is_its_own() -> None:
    found = DIRECTORY.host_meta()
    assert found.href("self", "application/activity+json") == SERVICE
    assert [link.template for link in found.links if link.template] == [
        f"{BASE}/.well-known/webfinger?resource={{uri}}"
    ]


def test_a_content_is_found_if_it_is_here() -> None:
    resource = f"{BASE}/cas/uEiX"
    assert DIRECTORY.content_name(resource) == "uEiX"
    assert DIRECTORY.content_name(BASE) == ""
    assert DIRECTORY.answer(resource) is None
    found = DIRECTORY.answer(resource, has_content=True)
    assert found is not None
    assert (found.target, found.href("alternate")) == (resource, "https://b.example/cas/uEiX")


def test_a_did_is_found_with_its_anchor_and_its_origin() -> None:
    found = DIRECTORY.did("did:orb:uEiX:EiY", anchor="hl:uEiX", origin="https://c.example")
    assert found.target == f"{BASE}/sidetree/v1/identifiers/did:orb:uEiX:EiY"
    assert found.href("via") == "hl:uEiX"
    assert found.properties == {
        "https://trustbloc.dev/ns/anchor-origin": "https://c.example",
        "https://trustbloc.dev/ns/min-resolvers": 2,
    }


@pytest.mark.parametrize("resource", ["", "https://b.example", f"{BASE}/cas", f"{BASE}/cas/", "did:orb:x"])
def test_of_other_things_nothing_is_known(resource: str) -> None:
    assert DIRECTORY.answer(resource) is None
