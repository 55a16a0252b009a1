from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from penstock.did.credentials import SigningKey
from penstock.did.operation_queue import Posted, QueuedOperation
from penstock.did.operation_queue.operation import Checked, decode_operation, encode_operation, message_of
from penstock.did.operation_queue.seal import Seal
from tests.did.operation_queue.helpers import read

KEY = SigningKey.generate()
SEAL = Seal(KEY)
OPERATION = QueuedOperation(
    type="update",
    operation_request=b'{"type":"update"}',
    unique_suffix="EiA",
    anchor_origin="https://orb.example",
    protocol_version=7,
)
SEALED = SEAL.on(OPERATION, closes=1234)


def test_a_domain_knows_its_own_seal_again_in_every_process() -> None:
    for seal in (SEAL, Seal(SigningKey.from_pem(KEY.pem))):
        known = seal.known(SEALED)
        assert known is not None
        assert known.closes == 1234


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "recover"},
        {"operation_request": b'{"type":"updatE"}'},
        {"unique_suffix": "EiB"},
        {"namespace": "did:other"},
        {"anchor_origin": None},
        {"protocol_version": 8},
    ],
    ids=str,
)
def test_a_seal_is_on_exactly_one_operation(changes: dict[str, Any]) -> None:
    assert SEAL.known(replace(SEALED, **changes)) is None


@pytest.mark.parametrize("changes", [{"closes": 1235}, {"closes": None}, {"seal": b""}, {"seal": bytes(16)}])
def test_what_is_said_of_it_is_sealed_as_well(changes: dict[str, Any]) -> None:
    said = SEALED.checked
    assert isinstance(said, Checked)
    assert SEAL.known(replace(SEALED, checked=replace(said, **changes))) is None


def test_nobody_else_can_seal() -> None:
    assert SEAL.known(Seal(SigningKey.generate()).on(OPERATION, closes=1234)) is None
    assert SEAL.known(OPERATION) is None


def test_a_seal_lasts_from_the_door_to_the_batch() -> None:
    taken = read(message_of(Posted("id", SEALED))).operation
    assert SEAL.known(decode_operation(encode_operation(taken))) == SEALED.checked


def test_it_tells_no_secret() -> None:
    assert repr(SEAL) == "<Seal>"
