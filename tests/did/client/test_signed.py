from __future__ import annotations

import pytest

from penstock.did.client.signed import ALGORITHMS, new_wallet, with_deactivate, with_recover, with_update
from penstock.errors import BadPatch, InvalidOperation, WalletError
from penstock.sidetree.protocol import Protocols
from penstock.sidetree.resolution import resolve
from penstock.sidetree.signing import SigningKey
from tests.did.client.lives import created
from tests.sidetree.lives import NOW, ORIGIN, add_keys, add_services, anchored, key


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_steps_of_a_life_resolve_to_what_was_wanted(algorithm: str) -> None:
    made = iter([SigningKey.made(ALGORITHMS[algorithm]) for _ in range(6)])
    wallet = new_wallet(
        [add_keys("key1")], update_key=next(made), recovery_key=next(made), domain="", origin=ORIGIN, now=NOW
    )
    wallet = with_update(wallet, [add_services("files")], update_key=next(made), now=NOW)
    assert wallet.algorithm == algorithm
    history = [anchored(step.request, wallet.suffix, 10 + n) for n, step in enumerate(wallet.steps)]
    state = resolve(wallet.suffix, history, Protocols())
    assert [each["id"] for each in state.document["services"]] == ["files"]
    assert (state.update_commitment, state.recovery_commitment) == wallet.promised.promises
    wallet = with_recover(wallet, [add_keys("key2")], update_key=next(made), recovery_key=next(made), now=NOW)
    history.append(anchored(wallet.steps[-1].request, wallet.suffix, 20))
    state = resolve(wallet.suffix, history, Protocols())
    assert [each["id"] for each in state.document["publicKeys"]] == ["key2"]
    assert (state.update_commitment, state.recovery_commitment) == wallet.promised.promises
    assert state.anchor_origin is None or state.anchor_origin == ORIGIN
    history.append(anchored(with_deactivate(wallet, now=NOW).steps[-1].request, wallet.suffix, 30))
    assert resolve(wallet.suffix, history, Protocols()).deactivated


def test_a_mistake_is_told_before_anything_is_kept() -> None:
    with pytest.raises(BadPatch):
        with_update(created(), [{"action": "shout"}], update_key=key("u1"), now=NOW)
    with pytest.raises(InvalidOperation, match="empty document"):
        new_wallet(
            [{"action": "remove-services", "ids": ["x"]}],
            update_key=key("u"),
            recovery_key=key("r"),
            domain="",
            origin=ORIGIN,
            now=NOW,
        )


def test_nothing_follows_a_deactivation() -> None:
    ended = with_deactivate(created(), now=NOW)
    with pytest.raises(WalletError, match="for ever"):
        with_update(ended, [add_services("x")], update_key=key("u1"), now=NOW)
    with pytest.raises(WalletError, match="for ever"):
        with_deactivate(ended, now=NOW)
