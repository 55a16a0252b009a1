from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.sidetree import requests
from penstock.sidetree.base64url import decode
from penstock.sidetree.batches.glancing import glance
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.files.parts import part_of
from penstock.sidetree.multihash import hashed
from penstock.sidetree.operations import Create
from penstock.sidetree.outcomes import Status, judged
from penstock.sidetree.protocol import ORB, SIDETREE
from tests.sidetree.lives import NOW, ORIGIN, Life, add_keys, add_services, changed, whole_life
from tests.sidetree.usual.spoiling import spoilt

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.sidetree.protocol import Protocol
    from penstock.sidetree.signing import SigningKey

LIVES = [request for curve in ("P-256", "secp256k1", "Ed25519") for request in whole_life(curve, curve)]
HERE = {ORIGIN}


def plainly(request: bytes, protocol: Protocol = ORB, origins: Any = None) -> tuple[Any, ...] | None:
    """What the plain road makes of a request."""
    outcome = judged(request, protocol, NOW, origins=origins)
    if outcome.status is not Status.OK:
        return None
    operation = outcome.operation
    assert operation is not None
    closes = None if isinstance(operation, Create) else operation.signed.window.closes
    return operation.suffix, part_of(operation, outcome.delta), closes


@pytest.mark.parametrize("request_", LIVES)
def test_what_is_usual_is_judged_at_one_look_and_as_by_the_plain_road(request_: bytes) -> None:
    found = glance(request_, ORB, NOW, origins=HERE)
    assert found is not None
    assert found == plainly(request_, origins=HERE)


@pytest.mark.parametrize("times", [{"anchor_from": NOW - 9}, {"anchor_until": NOW + 9}, {"anchor_from": 0}])
def test_it_knows_when_an_operation_expires(times: dict[str, Any]) -> None:
    life = Life()
    life.create()
    for request in (life.update(**times), life.recover(**times), life.deactivate(**times)):
        found = glance(request, ORB, NOW)
        assert found is not None
        assert found == plainly(request)


def changed_life(change: Callable[[Life], bytes]) -> bytes:
    life = Life()
    life.create()
    return change(life)


def with_delta(request: bytes, patch: Any) -> bytes:
    return changed(request, delta={**parse(request)["delta"], "patches": [patch]})


def forged(request: bytes) -> bytes:
    """Another has signed the same."""
    compact = parse(request)["signedData"]
    return changed(
        request, signedData=f"{compact[:-86]}{parse(whole_life('mallory')[1])['signedData'][-86:]}"
    )


def same_key(verb: str, **keys: Callable[[Life], Any]) -> bytes:
    """A request that promises the next operation to a key that it must not be promised to."""
    life = Life()
    life.create()
    promised = {name: choose(life) for name, choose in keys.items()}
    signer = life.update_key if verb == "update" else life.recovery_key
    origin = {"anchor_origin": ORIGIN} if verb == "recover" else {}
    request = getattr(requests, verb)(life.suffix, [add_keys("a")], key=signer, **promised, **origin)
    return canonical(request)


# Each is as usual as a request can be, and wrong.
WRONG = {
    "another delta, create": with_delta(LIVES[0], add_services("b")),
    "another delta, update": with_delta(LIVES[1], add_services("b")),
    "another delta, recover": with_delta(LIVES[2], add_services("b")),
    "another's signature, update": forged(LIVES[1]),
    "another's signature, recover": forged(LIVES[2]),
    "another's signature, deactivate": forged(LIVES[3]),
    "another reveal value, update": changed(LIVES[1], revealValue=hashed("another")),
    "another reveal value, recover": changed(LIVES[2], revealValue=hashed("another")),
    "another reveal value, deactivate": changed(LIVES[3], revealValue=hashed("another")),
    "a reveal value that is none": changed(LIVES[1], revealValue="x"),
    "a delta hash that is none": changed(
        LIVES[0], suffixData=parse(LIVES[0])["suffixData"] | {"deltaHash": "x"}
    ),
    "another DID's end": changed(LIVES[3], didSuffix=hashed("another")),
    "a signature that is none": changed(LIVES[1], signedData="x"),
    "expired": changed_life(lambda life: life.update(anchor_until=NOW)),
    "early": changed_life(lambda life: life.update(anchor_from=NOW + 1)),
    "too large": Life().create(*(add_keys(f"{n:050}") for n in range(12))),
    "too large a delta": Life().create(*(add_services(f"{n:050}") for n in range(10))),
    "an update that promises its own key": same_key(
        "update", next_update_key=lambda life: life.update_key.public
    ),
    "a recover that promises its own key": same_key(
        "recover",
        next_recovery_key=lambda life: life.recovery_key.public,
        next_update_key=lambda life: life.update_key.public,
    ),
    "a recover that promises one key twice": same_key(
        "recover",
        next_recovery_key=lambda life: life.update_key.public,
        next_update_key=lambda life: life.update_key.public,
    ),
    "a create that promises one key twice": canonical(
        requests.create(
            [add_keys("a")],
            recovery_key=Life().update_key.public,
            update_key=Life().update_key.public,
            anchor_origin=ORIGIN,
        )
    ),
    "a create with another's origin": Life().create(origin="https://x.example"),
    "a create without an origin": Life().create(origin=None),
    "a recover with another's origin": changed_life(lambda life: life.recover(origin="https://x.example")),
    "a recover without an origin": changed_life(lambda life: life.recover(origin=None)),
}


@pytest.mark.parametrize("name", WRONG)
def test_of_what_does_not_hold_nothing_is_said(name: str) -> None:
    assert glance(WRONG[name], ORB, NOW, origins=HERE) is None
    assert plainly(WRONG[name], origins=HERE) is None


def test_a_protocol_that_takes_less_has_all_looked_at_more_closely() -> None:
    strict = replace(ORB, patches=frozenset({"replace"}))
    assert glance(LIVES[0], strict, NOW) is None
    assert glance(LIVES[0], replace(ORB, max_operation_size=100), NOW) is None
    assert glance(LIVES[0], SIDETREE, NOW) == plainly(LIVES[0], SIDETREE)
    eddsa = replace(ORB, signature_algorithms=frozenset({"EdDSA"}))
    for request in LIVES:
        assert glance(request, eddsa, NOW) == plainly(request, eddsa)
    assert glance(LIVES[1], eddsa, NOW) is None


def signers(curve: str) -> list[tuple[bytes, SigningKey]]:
    """Changes, each with the key that has signed it."""
    life = Life("signer", curve)
    life.create()
    update_key, request = life.update_key, life.update()
    recovery_key, recover = life.recovery_key, life.recover()
    return [(request, update_key), (recover, recovery_key), (life.deactivate(), life.recovery_key)]


@given(st.sampled_from([*signers("P-256"), *signers("secp256k1"), *signers("Ed25519")]), st.data())
def test_whatever_is_signed_is_seen_at_one_look_as_by_the_plain_road(
    change: tuple[bytes, SigningKey], data: st.DataObject
) -> None:
    request, signer = change
    said = parse(decode(parse(request)["signedData"].split(".")[1]))
    request = changed(request, signedData=signer.sign(data.draw(spoilt([said]))))
    found = glance(request, ORB, NOW, origins=HERE)
    if found is not None:
        assert found == plainly(request, origins=HERE)


@given(spoilt([json.loads(each) for each in LIVES]), st.sampled_from([None, HERE, {"*"}]))
def test_whatever_is_seen_at_one_look_is_what_the_plain_road_says(value: Any, origins: Any) -> None:
    request = canonical(value)
    found = glance(request, ORB, NOW, origins=origins)
    if found is not None:
        assert found == plainly(request, origins=origins)


@given(st.sampled_from(LIVES), st.data())
def test_no_damaged_request_is_seen_at_one_look_unless_it_holds(request_: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(request_) - 1))
    damaged = request_[:place] + data.draw(st.binary(max_size=2)) + request_[place + 1 :]
    found = glance(damaged, ORB, NOW)
    if found is not None:
        assert found == plainly(damaged)
