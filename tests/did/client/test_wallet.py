from __future__ import annotations

import msgspec
import pytest

from penstock.did.client.seen import Seen
from penstock.did.client.signed import with_deactivate, with_recover, with_update
from penstock.did.client.wallet import Keys, Standing, Wallet
from penstock.errors import KeysStrayed
from penstock.sidetree.did import read_did
from penstock.sidetree.methods import METHODS
from tests.did.client.lives import created, seen
from tests.sidetree.lives import NOW, add_services, key


def updated(wallet: Wallet, name: str = "u1") -> Wallet:
    return with_update(wallet, [add_services("files")], update_key=key(name), now=NOW)


def test_a_wallet_is_the_same_when_it_is_read_again() -> None:
    wallet = updated(created())
    assert msgspec.json.decode(msgspec.json.encode(wallet), type=Wallet) == wallet


def test_its_forms_are_those_of_the_did() -> None:
    wallet = created()
    assert wallet.did == wallet.short_form == f"did:orb:uAAA:{wallet.suffix}"
    assert wallet.namespace == "did:orb"
    assert read_did(wallet.long_form, METHODS["did:orb"]).suffix == wallet.suffix


def test_a_did_stands_where_its_last_operation_does() -> None:
    wallet = created()
    assert wallet.standing is Standing.WRITTEN
    wallet = wallet.accepted(wallet.steps[0])
    assert wallet.standing is Standing.ACCEPTED
    wallet = wallet.settled(seen(wallet.promised))
    assert (wallet.standing, wallet.steps, wallet.did) == (Standing.ANCHORED, (), "did:orb:uAnchor:x")
    wallet = with_deactivate(wallet, now=NOW)
    assert wallet.ends
    wallet = wallet.settled(Seen(is_deactivated=True, is_anchored=True))
    assert (wallet.standing, wallet.keys) == (Standing.DEACTIVATED, Keys())


def test_what_has_come_true_is_no_longer_on_its_way() -> None:
    wallet = created()
    first = wallet.promised
    wallet = updated(wallet)
    second = wallet.promised
    wallet = updated(wallet, "u2")
    assert [step.type for step in wallet.settled(seen(first)).steps] == ["update", "update"]
    after = wallet.settled(seen(second))
    assert ([step.type for step in after.steps], after.keys) == (["update"], second)
    assert not after.settled(seen(wallet.promised)).steps


def test_an_update_leaves_the_recovery_key_and_a_recover_does_not() -> None:
    wallet = created()
    before = wallet.promised
    wallet = updated(wallet)
    assert wallet.promised.recovery == before.recovery
    assert wallet.promised.update != before.update
    wallet = with_recover(
        wallet, [add_services("files")], update_key=key("u2"), recovery_key=key("r1"), now=NOW
    )
    assert wallet.promised == (key("u2").jwk(), key("r1").jwk())


def test_what_counts_and_is_not_anchored_stays() -> None:
    wallet = created()
    assert wallet.settled(seen(wallet.promised, is_anchored=False)) == wallet
    assert wallet.settled(None) == wallet


def test_a_deactivation_stays_until_it_is_anchored() -> None:
    wallet = with_deactivate(created(), now=NOW)
    assert wallet.settled(Seen(is_deactivated=True)) == wallet


def test_nobody_who_says_that_a_did_is_deactivated_has_its_keys_thrown_away() -> None:
    anchored = created().settled(seen(created().promised))
    for wallet in (created(), anchored):
        with pytest.raises(KeysStrayed, match="this wallet has not done it"):
            wallet.settled(Seen(is_deactivated=True, is_anchored=True))


def test_a_domain_that_has_not_heard_of_the_end_changes_nothing() -> None:
    wallet = created().settled(seen(created().promised))
    ended = with_deactivate(wallet, now=NOW).settled(Seen(is_deactivated=True, is_anchored=True))
    assert ended.settled(seen(wallet.promised)) == ended


def test_a_domain_that_lags_behind_changes_nothing() -> None:
    wallet = created()
    first = wallet.promised
    wallet = updated(wallet).settled(seen(updated(wallet).promised))
    assert not wallet.steps
    assert wallet.settled(seen(first)) == wallet


def test_a_did_that_has_gone_another_way_is_told_of() -> None:
    wallet = created()
    stolen = Keys(key("thief").jwk(), key("thief's other").jwk())
    with pytest.raises(KeysStrayed, match="old copy"):
        wallet.settled(seen(stolen))


def test_what_is_built_upon_a_refused_step_goes_with_it() -> None:
    wallet = updated(updated(created()), "u2")
    kept = wallet.refused(wallet.steps[1])
    assert [step.type for step in kept.steps] == ["create"]
    assert kept.promised == created().promised


def test_nothing_that_is_printed_shows_a_secret() -> None:
    wallet = updated(created())
    secret = (wallet.promised.update or {})["d"]
    assert secret not in f"{wallet!r} {wallet.steps!r} {wallet.promised!r}"
    assert repr(wallet) == f"<Wallet {wallet.did}, to be posted, 2 steps>"
