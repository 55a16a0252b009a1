from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.anchoring.credential_store import put_credential, read_credential
from penstock.did.credentials import AnchorCredential
from penstock.sidetree.canonical import canonical
from tests.did.anchoring.helpers import A

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_a_credential_is_found_by_the_last_part_of_its_url(kept: DomainDatabase) -> None:
    document = A.credential("hl:uEiX", "hl:uEiY", at=1.0)
    kept.do(put_credential, AnchorCredential.read(document))
    assert kept.do(read_credential, "uEiX") == canonical(document)
    assert kept.do(read_credential, "uEiZ") is None


def test_the_last_that_is_put_is_kept(kept: DomainDatabase) -> None:
    for at in (1.0, 2.0):
        kept.do(put_credential, AnchorCredential.read(A.credential("hl:uEiX", "hl:uEiY", at=at)))
    assert kept.do(read_credential, "uEiX") == canonical(A.credential("hl:uEiX", "hl:uEiY", at=2.0))
