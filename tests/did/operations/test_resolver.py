from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.did.operations import OPERATIONS, StoredResolver, add_operations
from penstock.errors import BadDid, UnknownDid, UnknownVersion
from penstock.sidetree.canonical import parse
from penstock.sidetree.did import long_form
from penstock.sidetree.methods import METHODS
from penstock.sidetree.multihash import hashed
from tests.did.operation_queue.helpers import run
from tests.sidetree.lives import NOW, ORIGIN, Life, anchored

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


@pytest.fixture
def kept(memory: DomainDatabase) -> DomainDatabase:
    memory.create(OPERATIONS)
    return memory


@pytest.fixture
def resolver(kept: DomainDatabase) -> StoredResolver:
    return StoredResolver(kept, clock=VirtualClock(NOW))


def lived(database: DomainDatabase) -> Life:
    """A DID that was created at 10 and updated at 20."""
    life = Life()
    requests = [life.create(), life.update()]
    history = [anchored(request, life.suffix, 10 * n) for n, request in enumerate(requests, 1)]
    database.do(add_operations, history)
    return life


def test_a_did_is_resolved_now_and_as_it_was(kept: DomainDatabase, resolver: StoredResolver) -> None:
    did = f"did:orb:uAAA:{lived(kept).suffix}"
    now = run(resolver.resolve(did))
    assert now["didDocumentMetadata"]["versionId"] == "uAnchor20"
    assert [each["id"] for each in now["didDocument"]["service"]] == [f"{did}#service1"]
    for then in (run(resolver.resolve(did, version="uAnchor10")), run(resolver.resolve(did, until=19))):
        assert then["didDocumentMetadata"]["versionId"] == "uAnchor10"
        assert "service" not in then["didDocument"]


@pytest.mark.parametrize(("version", "until"), [("uNever", None), (None, 9)])
def test_a_version_that_never_was_is_unknown(
    kept: DomainDatabase, resolver: StoredResolver, version: str | None, until: int | None
) -> None:
    did = f"did:orb:uAAA:{lived(kept).suffix}"
    with pytest.raises(UnknownVersion):
        run(resolver.resolve(did, version=version, until=until))


@pytest.mark.parametrize(
    "anchor",
    [
        "uAnchor10",
        "uAnchor20",
        "hl:uAnchor10:uPlaces",
        "https:a.example:8326:uAnchor10",
        "https:a.example:uAAA",
    ],
)
def test_a_did_may_name_any_of_its_anchors(
    kept: DomainDatabase, resolver: StoredResolver, anchor: str
) -> None:
    did = f"did:orb:{anchor}:{lived(kept).suffix}"
    assert run(resolver.resolve(did))["didDocument"]["id"] == did
    assert run(resolver.resolve(did, until=10))["didDocument"]["id"] == did


@pytest.mark.parametrize(
    "anchor", ["uAnchor30", "hl:uAnchor30:uPlaces", "https:a.example:uAnchor30", "a.example"]
)
def test_a_did_of_an_anchor_without_it_is_unknown(
    kept: DomainDatabase, resolver: StoredResolver, anchor: str
) -> None:
    life = lived(kept)
    with pytest.raises(UnknownDid, match="is anchored"):
        run(resolver.resolve(f"did:orb:{anchor}:{life.suffix}"))
    with pytest.raises(UnknownDid, match="is anchored"):
        run(resolver.resolve(long_form(f"did:orb:{anchor}:{life.suffix}", parse(Life().create()))))


def test_a_long_form_resolves_before_and_after_its_anchor(
    kept: DomainDatabase, resolver: StoredResolver
) -> None:
    life = Life()
    create = life.create()
    short = f"did:orb:uAAA:{life.suffix}"
    did = long_form(short, parse(create))
    with pytest.raises(UnknownDid):
        run(resolver.resolve(short))
    before = run(resolver.resolve(did))
    assert not before["didDocumentMetadata"]["method"]["published"]
    lived(kept)
    after = run(resolver.resolve(did))
    assert after["didDocumentMetadata"]["canonicalId"] == f"did:orb:uAnchor10:{life.suffix}"
    assert run(resolver.resolve(did, version="uAnchor10"))["didDocument"]["id"] == did
    assert run(resolver.resolve(did, until=10))["didDocument"]["id"] == did
    with pytest.raises(UnknownVersion):
        run(resolver.resolve(did, until=9))


def test_a_long_form_is_told_of_as_a_create_only_while_there_is_no_other(kept: DomainDatabase) -> None:
    method = replace(METHODS["did:orb"], lists_published=True, lists_unpublished=True)
    resolver, life = StoredResolver(kept, clock=VirtualClock(NOW), method=method), Life()
    create = life.create()
    did = long_form(f"did:orb:uAAA:{life.suffix}", parse(create))

    def told() -> dict[str, list[bytes]]:
        about = run(resolver.resolve(did))["didDocumentMetadata"]["method"]
        lists = {name: entries for name, entries in about.items() if name.endswith("Operations")}
        return {name: [b64decode(each["operation"]) for each in entries] for name, entries in lists.items()}

    assert told() == {"unpublishedOperations": [create]}
    kept.do(add_operations, [anchored(create, life.suffix, 10)])
    assert told() == {"publishedOperations": [create]}


def test_a_state_is_there_for_those_who_change_a_did(kept: DomainDatabase, resolver: StoredResolver) -> None:
    assert run(resolver.state_of("nobody")) is None
    life = lived(kept)
    state = run(resolver.state_of(life.suffix))
    assert (state.anchor_origin, state.version, state.deactivated) == (ORIGIN, "uAnchor20", False)
    # An update without its create, which may still come.
    other = Life("bob")
    other.create()
    kept.do(add_operations, [anchored(other.update(), other.suffix, 5)])
    assert run(resolver.state_of(other.suffix)) is None


@pytest.mark.parametrize("did", ["", "did:orb", "did:orb:x", "did:ion:x", "did:orb:uAAA:not-a-hash"])
def test_what_is_no_did_is_refused(resolver: StoredResolver, did: str) -> None:
    with pytest.raises(BadDid):
        run(resolver.resolve(did))


@pytest.mark.parametrize("short", ["did:ion", "did:ion:test", "did:sidetree", "did:unheard"])
def test_a_long_form_of_another_method_vouches_for_itself(resolver: StoredResolver, short: str) -> None:
    life = Life()
    create = parse(life.create(origin=None))
    did = long_form(f"{short}:{life.suffix}", create)
    found = run(resolver.resolve(did))
    assert found["didDocument"]["id"] == did
    assert found["didDocument"]["@context"][1] == {"@base": did}
    assert found["didDocumentMetadata"]["equivalentId"] == [f"{short}:{life.suffix}"]
    assert found["didDocumentMetadata"]["method"]["published"] is False
    with pytest.raises(UnknownVersion):
        run(resolver.resolve(did, version="uAnchor10"))


def test_nothing_else_is_known_of_other_methods(kept: DomainDatabase, resolver: StoredResolver) -> None:
    suffix = lived(kept).suffix
    with pytest.raises(BadDid, match="in their long form only"):
        run(resolver.resolve(f"did:ion:{suffix}"))
    # What names no DID of that suffix, though the hash is right.
    odd = {"suffixData": {"more": 1}, "delta": {}}
    with pytest.raises(BadDid, match="suffixData has no"):
        run(resolver.resolve(long_form(f"did:ion:{hashed(odd['suffixData'])}", odd)))
