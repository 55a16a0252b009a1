from __future__ import annotations

from penstock.sidetree import requests
from penstock.sidetree.jws import read_jws
from penstock.sidetree.multihash import commitment, hashed, reveal
from penstock.sidetree.protocol import ORB
from tests.sidetree.lives import add_keys, key
from tests.sidetree.vectors import ION_SDK, needs_vectors, vector

INPUTS = f"{ION_SDK}/tests/vectors/inputs"


@needs_vectors
def test_a_create_request_is_the_one_that_ion_makes() -> None:
    expected = vector(f"{ION_SDK}/expected-values-from-specs.json")["createCreateRequest"]
    document = {
        "publicKeys": [vector(f"{INPUTS}/publicKeyModel1.json")],
        "services": [vector(f"{INPUTS}/service1.json")],
    }
    made = requests.create(
        [{"action": "replace", "document": document}],
        recovery_key=vector(f"{INPUTS}/jwkEs256k1Public.json"),
        update_key=vector(f"{INPUTS}/jwkEs256k2Public.json"),
    )
    assert made["suffixData"]["deltaHash"] == expected["suffixData.deltaHash"]
    assert made["suffixData"]["recoveryCommitment"] == expected["suffixData.recoveryCommitment"]
    assert made["delta"]["updateCommitment"] == expected["delta.updateCommitment"]
    assert hashed(made["suffixData"]) == "EiDyOQbbZAa3aiRzeCkV7LOx3SERjjH93EXoIM3UoN4oWg"


def test_what_is_not_given_is_not_said() -> None:
    made = requests.create([], recovery_key=key("r").public, update_key=key("u").public)
    assert made["suffixData"].keys() == {"deltaHash", "recoveryCommitment"}
    made = requests.create([], recovery_key={}, update_key={}, anchor_origin="o", type_="t")
    assert made["suffixData"].keys() == {"deltaHash", "recoveryCommitment", "anchorOrigin", "type"}


def test_an_operation_reveals_this_key_and_promises_the_next() -> None:
    made = requests.update("suffix", [add_keys("a")], key=key("now"), next_update_key=key("next").public)
    said = read_jws(made["signedData"], ORB.signature_algorithms).payload
    assert made["revealValue"] == reveal(key("now").public)
    assert made["delta"]["updateCommitment"] == commitment(key("next").public)
    assert said == {"updateKey": key("now").public, "deltaHash": hashed(made["delta"])}


def test_a_recover_promises_both_keys_and_a_deactivate_none() -> None:
    made = requests.recover(
        "suffix",
        [add_keys("a")],
        key=key("now"),
        next_recovery_key=key("after").public,
        next_update_key=key("next").public,
        anchor_origin="https://o.example",
        anchor_from=5,
        anchor_until=9,
    )
    said = read_jws(made["signedData"], ORB.signature_algorithms).payload
    assert said["recoveryCommitment"] == commitment(key("after").public)
    assert (said["anchorOrigin"], said["anchorFrom"], said["anchorUntil"]) == ("https://o.example", 5, 9)
    ended = requests.deactivate("suffix", key=key("now"))
    assert "delta" not in ended
    assert read_jws(ended["signedData"], ORB.signature_algorithms).payload == {
        "didSuffix": "suffix",
        "recoveryKey": key("now").public,
    }
