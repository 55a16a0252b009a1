"""What is wrong with proof files stands in test_reading."""

from __future__ import annotations

from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.files.proofs import CORE, PROVISIONAL, read_proofs, write_proofs
from penstock.sidetree.protocol import ORB
from tests.sidetree.lives import whole_life

_, UPDATE, RECOVER, DEACTIVATE = (parse(request).get("signedData") for request in whole_life())
ALL = {"update": [canonical(UPDATE)], "recover": [canonical(RECOVER)], "deactivate": [canonical(DEACTIVATE)]}


def test_each_of_the_two_has_its_own() -> None:
    core, provisional = write_proofs(CORE, ALL), write_proofs(PROVISIONAL, ALL)
    assert core == canonical({"operations": {"deactivate": [DEACTIVATE], "recover": [RECOVER]}})
    assert provisional == canonical({"operations": {"update": [UPDATE]}})
    found = read_proofs(CORE, compressed(core), {"recover": 1, "deactivate": 1}, ORB)
    assert {type_: [proof.compact for proof in proofs] for type_, proofs in found.items()} == {
        "recover": [RECOVER],
        "deactivate": [DEACTIVATE],
    }
    (proof,) = read_proofs(PROVISIONAL, compressed(provisional), {"update": 1}, ORB)["update"]
    assert proof.signed.said["updateKey"] == proof.signed.key


def test_without_signatures_there_is_no_file() -> None:
    assert write_proofs(CORE, {"recover": [], "deactivate": []}) == b""
