from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import (
    BadKey,
    BadSignature,
    InvalidOperation,
    OperationEarly,
    OperationExpired,
    SidetreeError,
)
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ION, ORB, SIDETREE
from penstock.sidetree.signed_data import Window, read_signed_data
from tests.sidetree.lives import key

KEY = key("signer")
SAID: dict[str, dict[str, Any]] = {
    "update": {"updateKey": KEY.public, "deltaHash": hashed(1)},
    "recover": {"recoveryKey": KEY.public, "deltaHash": hashed(1), "recoveryCommitment": hashed(2)},
    "deactivate": {"recoveryKey": KEY.public, "didSuffix": hashed(3)},
}


@pytest.mark.parametrize("type_", SAID)
def test_each_type_says_its_own(type_: str) -> None:
    found = read_signed_data(type_, KEY.sign(SAID[type_]), ORB)
    assert (found.key, found.said, found.window) == (KEY.public, SAID[type_], Window())


@pytest.mark.parametrize(
    ("type_", "more"),
    [
        ("recover", {"anchorOrigin": "https://x.example"}),
        ("deactivate", {"revealValue": ""}),  # as Orb writes it
        ("update", {"anchorFrom": 5, "anchorUntil": 9}),
    ],
)
def test_what_may_be_said_besides_is_taken(type_: str, more: dict[str, Any]) -> None:
    assert read_signed_data(type_, KEY.sign({**SAID[type_], **more}), ORB).said == {**SAID[type_], **more}


@pytest.mark.parametrize(
    ("type_", "changes", "reason"),
    [
        ("update", {"deltaHash": "x"}, "deltaHash is not a multihash"),
        ("update", {"recoveryCommitment": hashed(1)}, "no member 'recoveryCommitment'"),
        ("update", {"anchorOrigin": "x"}, "no member 'anchorOrigin'"),
        ("update", {"updateKey": {}}, "no keys on None"),
        ("update", {"updateKey": None}, "JWK, an object"),
        ("update", {"anchorFrom": "soon"}, "anchorFrom must be a whole number"),
        ("update", {"anchorUntil": 1.5}, "anchorUntil must be a whole number"),
        ("recover", {"recoveryCommitment": 5}, "recoveryCommitment must be"),
        ("deactivate", {"didSuffix": 5}, "didSuffix must be a text"),
        ("deactivate", {"deltaHash": hashed(1)}, "no member 'deltaHash'"),
    ],
)
def test_what_may_not_be_said_is_refused(type_: str, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(SidetreeError, match=reason):
        read_signed_data(type_, KEY.sign({**SAID[type_], **changes}), ORB)


@pytest.mark.parametrize(("type_", "member"), [(t, m) for t, said in SAID.items() for m in said])
def test_nothing_that_is_needed_may_be_missing(type_: str, member: str) -> None:
    said = {name: value for name, value in SAID[type_].items() if name != member}
    with pytest.raises(InvalidOperation, match=f"no '{member}'"):
        read_signed_data(type_, KEY.sign(said), ORB)


def test_the_error_says_whose_fault_it_is() -> None:
    with pytest.raises(BadSignature):
        read_signed_data("update", "no jws", ORB)
    with pytest.raises(BadKey):
        read_signed_data("update", KEY.sign({**SAID["update"], "updateKey": {"crv": "P-384"}}), ORB)
    with pytest.raises(InvalidOperation, match="must be an object"):
        read_signed_data("update", KEY.sign(["a list"]), ORB)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({}, Window(None, None)),
        ({"anchorFrom": 0, "anchorUntil": 0}, Window(None, None)),
        ({"anchorFrom": 100}, Window(100, 1_800)),
        ({"anchorUntil": 100}, Window(None, 100)),
        ({"anchorFrom": 100, "anchorUntil": 200}, Window(100, 200)),
    ],
)
def test_the_times_of_anchoring_are_completed(times: dict[str, int], expected: Window) -> None:
    assert read_signed_data("update", KEY.sign({**SAID["update"], **times}), ORB).window == expected


@pytest.mark.parametrize(
    ("now", "error"),
    [(99, OperationEarly), (100, None), (199, None), (200, OperationExpired), (201, OperationExpired)],
)
def test_an_operation_comes_early_in_time_or_late(now: int, error: type[SidetreeError] | None) -> None:
    if error is None:
        Window(100, 200).check_now(now)
    else:
        with pytest.raises(error, match=f"and it is {now}"):
            Window(100, 200).check_now(now)


@pytest.mark.parametrize(("at", "expected"), [(99, False), (100, True), (200, True), (201, False)])
def test_both_ends_of_a_window_count_for_an_anchor(at: int, expected: bool) -> None:  # noqa: FBT001  a column of the table
    assert Window(100, 200).holds(at) is expected
    assert Window().holds(at)


@pytest.mark.parametrize(
    ("said", "header", "reason"),
    [
        ({"anchorFrom": 5}, {}, "has no member 'anchorFrom'"),
        ({}, {"kid": "key"}, "'alg' and nothing else"),
        ({"updateKey": key("a", "secp256k1").public | {"nonce": "A" * 22}}, {}, "no member 'nonce'"),
    ],
)
def test_where_there_are_no_extensions_nothing_more_is_said(
    said: dict[str, Any], header: dict[str, str], reason: str
) -> None:
    signer = key("a", "secp256k1")
    plain = {"updateKey": signer.public, "deltaHash": hashed(1)}
    assert read_signed_data("update", signer.sign(plain), ION).said == plain
    compact = signer.sign(plain | said, **header)
    assert read_signed_data("update", compact, SIDETREE).said == plain | said
    with pytest.raises(SidetreeError, match=reason):
        read_signed_data("update", compact, ION)
