from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did import base58
from penstock.did.anchors import Previous
from penstock.did.cas import HashLink
from penstock.did.credentials import with_proofs
from penstock.did.credentials.linked import signed_statements
from penstock.did.observing import reading
from penstock.did.observing.reading import read_anchor
from penstock.errors import (
    BadAnchor,
    BadBatchFile,
    BadCredential,
    ContentForged,
    ContentNotFound,
    Unavailable,
)
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.resolution import resolve
from tests.did.anchoring.helpers import A, B, C, PaperKeys
from tests.did.anchors.helpers import suffix
from tests.did.observing.helpers import PROTOCOLS, Author, forged, three_anchors
from tests.sidetree.lives import NOW, ORIGIN, Life

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from penstock.did.credentials import PublicKey
    from penstock.did.observing.observation import Observation


def read(
    author: Author, link: HashLink, unchecked: Collection[str] = (), *, verified: bool = False
) -> Observation:
    def fetch(uri: str, most: int, /) -> bytes:
        return author.cas.get(uri, limit=most)

    data, keys = author.cas.get(str(link)), PaperKeys()
    return read_anchor(data, fetch, keys, PROTOCOLS, unchecked=unchecked, verified=verified)


def test_an_anchor_shows_its_operations_each_with_its_place() -> None:
    author = Author()
    life, links = three_anchors(author)
    found = [read(author, link) for link in links]
    (created,), (updated,), (recovered,) = (each.operations for each in found)
    first = links[0].hash
    assert created.reference == found[0].hash == first
    assert created.equivalents == (
        str(HashLink.to(first, [f"{A.base}/cas/{first}"])),
        f"https:a.example:{first}",
    )
    assert [each.type for each in (created, updated, recovered)] == ["create", "update", "recover"]
    assert [each.time for each in (created, updated, recovered)] == [NOW, NOW + 1, NOW + 2]
    assert [each.previous for each in (created, updated, recovered)] == ["", first, links[1].hash]
    assert [each.anchor_origin for each in (created, updated, recovered)] == [ORIGIN, None, ORIGIN]
    assert [each.verified for each in (created, updated, recovered)] == [False, True, True]
    assert found[1].parents == (str(links[0]),)
    assert (found[1].author, found[1].issued_at) == (A.service, NOW + 1)
    assert resolve(life.suffix, [created, updated, recovered], PROTOCOLS).version == links[2].hash


def test_signatures_are_not_verified_by_who_has_done_so_before(monkeypatch: pytest.MonkeyPatch) -> None:
    author = Author()
    _, links = three_anchors(author)
    expected = [read(author, link) for link in links]

    def verified(*_: object) -> None:
        raise AssertionError("once in its life")

    monkeypatch.setattr(reading, "check_signature", verified)
    assert [read(author, link, verified=True) for link in links] == expected


@pytest.mark.parametrize("error", [Unavailable("it is away"), BadCredential("method", "there is none")])
def test_nor_are_proofs_whatever_has_become_of_a_witness_since(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    author = Author(forge=lambda made: with_proofs(made, [B.proof(made, at=NOW)]))
    link = author.anchor(Life().create())
    before = read(author, link)

    def public_key(_: PaperKeys, method: str) -> PublicKey:
        if method == B.method:
            raise error
        return A.key.public

    monkeypatch.setattr(PaperKeys, "public_key", public_key)
    assert read(author, link, verified=True) == before
    with pytest.raises(type(error)):
        read(author, link)


def test_an_operation_that_nobody_has_signed_is_left_out_and_the_others_are_not() -> None:
    author, good, bad = Author(), Life("good"), Life("bad")
    author.anchor(good.create(), bad.create())
    requests = (Life("third").create(), good.update(), forged(bad.update()))
    found = read(author, author.anchor_unjudged(*requests, at=NOW + 1))
    assert [each.type for each in found.operations] == ["create", "update"]
    (left_out,) = found.left_out
    assert (left_out.suffix, left_out.type) == (bad.suffix, "update")
    assert "signature" in left_out.reason


def of_another(credential: dict[str, Any]) -> dict[str, Any]:
    return {**credential, "proof": [B.proof(credential, at=NOW)]}


def without_proof(credential: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in credential.items() if name != "proof"}


def in_anothers_name(credential: dict[str, Any]) -> dict[str, Any]:
    (proof,) = credential["proof"]
    return {**credential, "proof": [proof, {**proof, "verificationMethod": C.method}]}


def as_orb_does(credential: dict[str, Any]) -> dict[str, Any]:
    """Signed by its author, in a way that nobody here can check."""
    (proof,) = credential["proof"]
    foreign = {**proof, "type": "JsonWebSignature2020", "proofValue": "z5ignature"}
    del foreign["cryptosuite"]
    return {**credential, "proof": [foreign]}


def witnessed_as_orb_does(credential: dict[str, Any]) -> dict[str, Any]:
    return {**credential, "proof": [*as_orb_does(credential)["proof"], B.proof(credential, at=NOW)]}


def signed_as_orb_does(credential: dict[str, Any]) -> dict[str, Any]:
    """Signed by its author as RDF, and by nobody else."""
    proof = {
        "type": "Ed25519Signature2020",
        "created": credential["issuanceDate"],
        "proofPurpose": "assertionMethod",
        "verificationMethod": A.method,
    }
    value = base58.encode(A.key.sign(signed_statements(credential, proof)))
    return {**credential, "proof": [{**proof, "proofValue": f"z{value}"}]}


def redated(credential: dict[str, Any]) -> dict[str, Any]:
    return {**credential, "issuanceDate": "2020-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("forge", "rule"),
    [
        (of_another, "author"),
        (without_proof, "proof"),
        (in_anothers_name, "signature"),
        (redated, "signature"),
        (as_orb_does, "suite"),
        (lambda made: redated(signed_as_orb_does(made)), "signature"),
        # Its witness's proof holds, and is not its author's.
        (witnessed_as_orb_does, "author"),
    ],
)
def test_a_credential_that_does_not_hold_is_found_out(forge: Callable[[Any], Any], rule: str) -> None:
    author = Author(forge=forge)
    link = author.anchor(Life().create())
    with pytest.raises(BadCredential) as caught:
        read(author, link)
    assert caught.value.rule == rule


def test_an_anchor_of_orbs_is_read_by_its_own_proof() -> None:
    author = Author(forge=signed_as_orb_does)
    assert len(read(author, author.anchor(Life().create())).operations) == 1


@pytest.mark.parametrize("forge", [as_orb_does, witnessed_as_orb_does])
def test_an_authors_word_is_taken_if_one_is_told_to(forge: Callable[[Any], Any]) -> None:
    author = Author(forge=forge)
    link = author.anchor(Life().create())
    assert [len(read(author, link, trusted).operations) for trusted in ({A.service}, {"*"})] == [1, 1]
    with pytest.raises(BadCredential):
        read(author, link, {B.service})


def test_whoever_is_trusted_is_not_believed_what_can_be_checked() -> None:
    author = Author(forge=redated)
    with pytest.raises(BadCredential) as caught:
        read(author, author.anchor(Life().create()), {"*"})
    assert caught.value.rule == "signature"


def test_a_foreign_proof_beside_the_authors_own_changes_nothing() -> None:
    author = Author(forge=lambda made: {**made, "proof": [*made["proof"], *as_orb_does(made)["proof"]]})
    assert len(read(author, author.anchor(Life().create())).operations) == 1


def test_a_batch_that_is_not_what_its_anchor_says_is_none() -> None:
    author = Author()
    link = author.anchor(Life().create(), previous=[Previous(suffix("one")), Previous(suffix("two"))])
    with pytest.raises(BadBatchFile, match="promises 2 operations"):
        read(author, link)


def test_a_bomb_costs_no_more_than_a_file_that_may_be() -> None:
    author = Author()
    bomb = str(author.cas.put(compressed(bytes(40_000_000))))
    link = author.anchor_files(bomb, (Life().create(),))
    with pytest.raises(BadBatchFile, match="inflates to more than 3 times"):
        read(author, link)


def test_a_file_that_is_missing_or_another_is_told() -> None:
    author = Author()
    link = author.anchor(Life().create())
    names = [name for name in author.contents.of if name != link.hash]
    for name in names:
        kept = author.contents.of.pop(name)
        with pytest.raises(ContentNotFound):
            read(author, link)
        author.contents.of[name] = kept[:-1] + b"x"
        with pytest.raises((ContentNotFound, ContentForged)):
            read(author, link)
        author.contents.of[name] = kept
    assert len(names) == 3
    assert len(read(author, link).operations) == 1


def test_what_is_no_linkset_is_no_anchor() -> None:
    author = Author()
    with pytest.raises(BadAnchor):
        read(author, author.cas.put(b'{"linkset":[]}'))
