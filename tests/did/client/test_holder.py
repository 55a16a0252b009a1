from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.client import Beginning, Changes, DocumentKey
from penstock.did.client.holder import new_key
from penstock.did.client.remote import RemoteDomain
from penstock.did.client.wallet import Standing
from penstock.errors import (
    BadSetting,
    InvalidOperation,
    KeysStrayed,
    NotInWallet,
    OperationRefused,
    TooEarly,
    Unavailable,
    WalletError,
)
from tests.sidetree.lives import key, service

if TYPE_CHECKING:
    from penstock.did.client import Holder, Wallet
    from tests.did.client.paper import PaperDomain

KEY = DocumentKey(id="main", public=key("main").public, private=key("main").jwk())
SITE = Changes(services=[service("site")])


def create(holder: Holder, domain: PaperDomain, name: str = "alice", **how: Any) -> Wallet:
    return holder.create(name, Changes(keys=[KEY]), Beginning(url=domain.url, **how))[1]


def document(holder: Holder, name: str = "alice") -> Any:
    found = holder.result(name)
    assert found is not None
    return found["didDocument"]


def services(holder: Holder) -> list[str]:
    return [each["id"].partition("#")[2] for each in document(holder).get("service", [])]


@pytest.mark.parametrize("algorithm", ["ES256", "ES256K", "EdDSA"])
def test_a_did_lives_from_create_to_deactivate(holder: Holder, domain: PaperDomain, algorithm: str) -> None:
    wallet = create(holder, domain, algorithm=algorithm)
    assert (wallet.standing, wallet.origin) == (Standing.ACCEPTED, f"{domain.url}/services/orb")
    assert wallet.document_keys == {"main": key("main").jwk()}
    domain.anchor()
    assert holder.settle("alice").did == f"did:orb:uAnchor1:{wallet.suffix}"
    holder.update("alice", SITE)
    domain.anchor()
    assert services(holder) == ["site"]
    holder.recover("alice", Changes(keys=[KEY]))
    domain.anchor()
    assert services(holder) == []
    holder.update("alice", SITE)
    domain.anchor()
    assert services(holder) == ["site"]
    holder.deactivate("alice")
    domain.anchor()
    assert holder.settle("alice").standing is Standing.DEACTIVATED
    with pytest.raises(WalletError, match="for ever"):
        holder.update("alice", SITE)


def test_a_did_without_a_name_has_its_suffix(holder: Holder, domain: PaperDomain) -> None:
    name, wallet = holder.create(None, Changes(keys=[KEY]), Beginning(url=domain.url, origin="https://o"))
    assert (name, wallet.origin) == (wallet.suffix, "https://o")
    assert holder.folder.names() == [name]


def test_operations_follow_each_other_before_they_are_anchored(holder: Holder, domain: PaperDomain) -> None:
    create(holder, domain)
    domain.anchor()
    holder.update("alice", SITE)
    wallet = holder.update("alice", Changes(services=[service("files")]))
    assert [step.type for step in wallet.steps] == ["update", "update"]
    domain.anchor(count=1)
    assert [step.type for step in holder.settle("alice").steps] == ["update"]
    domain.anchor()
    assert not holder.settle("alice").steps
    assert services(holder) == ["site", "files"]


def test_an_operation_whose_answer_was_lost_is_found_out_about(holder: Holder, domain: PaperDomain) -> None:
    domain.loses_answers = True
    with pytest.raises(Unavailable, match="settle alice"):
        create(holder, domain)
    assert holder.folder.read("alice").standing is Standing.WRITTEN
    domain.loses_answers = False
    # Before it is anchored: the same operation once more.
    assert holder.settle("alice").standing is Standing.ACCEPTED
    assert len({each.operation_request for each in domain.taken}) == 1
    domain.anchor()
    holder.settle("alice")
    # And after: nothing is posted.
    domain.loses_answers = True
    with pytest.raises(Unavailable):
        holder.update("alice", SITE)
    domain.anchor()
    assert holder.settle("alice").standing is Standing.ANCHORED
    assert not domain.taken


def test_an_operation_that_was_not_taken_is_posted_by_the_next_command(
    holder: Holder, domain: PaperDomain
) -> None:
    create(holder, domain)
    domain.anchor()
    domain.is_away = True
    with pytest.raises(Unavailable):
        holder.update("alice", SITE)
    domain.is_away = False
    holder.update("alice", Changes(services=[service("files")]))
    domain.anchor()
    assert services(holder) == ["site", "files"]


def test_the_next_keys_are_on_the_disk_before_anything_is_posted(
    holder: Holder, domain: PaperDomain, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(remote: RemoteDomain, request: bytes) -> None:
        kept = holder.folder.read("alice").steps[-1]
        assert kept.request == request
        assert kept.update_key
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(RemoteDomain, "post", killed)
        with pytest.raises(Killed):
            create(holder, domain)
    assert holder.settle("alice").standing is Standing.ACCEPTED


def test_what_is_refused_is_not_kept(holder: Holder, domain: PaperDomain) -> None:
    create(holder, domain)
    domain.anchor()
    before = holder.settle("alice")
    far = f"http://{'x' * 2000}.example"
    with pytest.raises(InvalidOperation):
        holder.update("alice", Changes(services=[service("site", serviceEndpoint=far)]))
    assert holder.folder.read("alice") == before
    with pytest.raises(OperationRefused, match="anchorOrigin"):
        create(holder, domain, "bob", origin="")
    assert holder.folder.names() == ["alice"]


def test_a_did_that_its_domain_does_not_know_yet_is_waited_for(holder: Holder, domain: PaperDomain) -> None:
    create(holder, domain)
    with pytest.raises(TooEarly, match="--wait alice"):
        holder.update("alice", SITE)
    with pytest.raises(Unavailable, match="not anchored after 0 seconds"):
        holder.wait("alice", within=0)
    looks: list[Standing] = []

    def tell(wallet: Wallet) -> None:
        looks.append(wallet.standing)
        domain.anchor()

    assert holder.wait("alice", within=60, tell=tell).standing is Standing.ANCHORED
    assert looks == [Standing.ACCEPTED, Standing.ANCHORED]


def test_who_waits_can_bear_that_a_domain_is_away_for_a_moment(holder: Holder, domain: PaperDomain) -> None:
    create(holder, domain)
    domain.anchor()
    holder.settle("alice")
    domain.is_away = True
    with pytest.raises(Unavailable):
        holder.update("alice", SITE)
    with pytest.raises(Unavailable, match=r"cannot do it now.*not anchored after 0 seconds"):
        holder.wait("alice", within=0)
    looks: list[Standing] = []

    def tell(wallet: Wallet) -> None:
        looks.append(wallet.standing)
        domain.is_away = False
        domain.anchor()

    holder.wait("alice", within=60, tell=tell)
    assert looks == [Standing.WRITTEN, Standing.ACCEPTED, Standing.ANCHORED]


def test_a_domain_that_has_lost_its_data_is_told_again(holder: Holder, domain: PaperDomain) -> None:
    create(holder, domain)
    domain.taken.clear()
    holder.settle("alice")
    assert not domain.taken
    holder.settle("alice", again=True)
    assert [each.type for each in domain.taken] == ["create"]


def test_an_old_copy_of_a_wallet_is_found_out(holder: Holder, domain: PaperDomain) -> None:
    create(holder, domain)
    domain.anchor()
    copy = holder.settle("alice")
    holder.update("alice", SITE)
    domain.anchor()
    holder.folder.write("alice", copy)
    with pytest.raises(KeysStrayed):
        holder.update("alice", SITE)


def test_who_creates_again_what_was_not_taken_is_told_how(holder: Holder, domain: PaperDomain) -> None:
    domain.is_away = True
    with pytest.raises(Unavailable):
        create(holder, domain)
    domain.is_away = False
    with pytest.raises(WalletError, match="not posted for certain: `penstock did settle alice` does"):
        create(holder, domain)
    holder.settle("alice")
    assert [each.type for each in domain.taken] == ["create"]


def test_names_are_used_once_and_must_be_known(holder: Holder, domain: PaperDomain) -> None:
    create(holder, domain)
    with pytest.raises(WalletError, match="already"):
        create(holder, domain)
    with pytest.raises(NotInWallet):
        holder.update("bob", SITE)
    with pytest.raises(BadSetting, match="nothing is to be changed"):
        holder.update("alice", Changes())


def test_keys_are_made_for_algorithms_that_are_known() -> None:
    assert new_key("EdDSA").kind.curve == "Ed25519"
    with pytest.raises(BadSetting, match="ES256"):
        new_key("RS256")
