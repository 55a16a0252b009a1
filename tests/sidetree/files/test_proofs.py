"""What is wrong with proof files stands in test_reading."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.errors import BadBatchFile
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.files.proofs import CORE, PROVISIONAL, read_proofs, write_proofs
from penstock.sidetree.protocol import ORB, SIDETREE
from tests.sidetree.lives import whole_life

_, UPDATE, RECOVER, DEACTIVATE = (parse(request).get("signedData") for request in whole_life())
ALL = {"update": [canonical(UPDATE)], "recover": [canonical(RECOVER)], "deactivate": [canonical(DEACTIVATE)]}


def test_each_of_the_two_has_its_own() -> None:
    core, provisional = write_proofs(CORE, ALL, ORB), write_proofs(PROVISIONAL, ALL, ORB)
    assert core == canonical({"operations": {"deactivate": [DEACTIVATE], "recover": [RECOVER]}})
    assert provisional == canonical({"operations": {"update": [UPDATE]}})
    found = read_proofs(CORE, compressed(core), {"recover": 1, "deactivate": 1}, ORB)
    assert {type_: [proof.compact for proof in proofs] for type_, proofs in found.items()} == {
        "recover": [RECOVER],
        "deactivate": [DEACTIVATE],
    }
    (proof,) = read_proofs(PROVISIONAL, compressed(provisional), {"update": 1}, ORB)["update"]
    assert proof.signed.said["updateKey"] == proof.signed.key


def test_where_signatures_stand_in_objects_they_are_written_so() -> None:
    provisional = write_proofs(PROVISIONAL, ALL, SIDETREE)
    assert provisional == canonical({"operations": {"update": [{"signedData": UPDATE}]}})
    (proof,) = read_proofs(PROVISIONAL, compressed(provisional), {"update": 1}, SIDETREE)["update"]
    assert proof.compact == UPDATE


@pytest.mark.parametrize(("form", "other", "article"), [("text", "object", "an"), ("object", "text", "a")])
def test_a_signature_in_a_form_that_the_version_does_not_have_is_refused(
    form: str, other: str, article: str
) -> None:
    content = compressed(write_proofs(PROVISIONAL, ALL, replace(ORB, proof_forms=(form,))))
    with pytest.raises(BadBatchFile, match=f"update 0: its entry must be {article} {other}"):
        read_proofs(PROVISIONAL, content, {"update": 1}, replace(ORB, proof_forms=(other,)))


def test_without_signatures_there_is_no_file() -> None:
    assert write_proofs(CORE, {"recover": [], "deactivate": []}, ORB) == b""
