from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from penstock.cli.did_showing import Waiting, show_result, show_wallet
from tests.did.client.lives import created, seen

if TYPE_CHECKING:
    from penstock.did.client.wallet import Wallet

RESULT: dict[str, Any] = {
    "didDocument": {"id": "did:orb:uA:x", "service": []},
    "didDocumentMetadata": {"canonicalId": "did:orb:uA:x", "versionId": "uA", "deactivated": True},
}


def accepted() -> Wallet:
    wallet = created()
    return wallet.accepted(wallet.steps[0])


def test_a_wallet_is_shown_without_its_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    wallet = accepted()
    for as_json in (True, False):
        show_wallet("alice", wallet, RESULT, file="/w/alice.json", as_json=as_json)
        shown = capsys.readouterr().out
        assert wallet.short_form in shown
        assert "accepted" in shown
        assert '"did:orb:uA:x"' in shown
        assert '"d"' not in shown
        assert (wallet.promised.update or {})["d"] not in shown


def test_programs_get_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    show_wallet("alice", accepted(), None, file="/w/alice.json", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["name"], told["standing"], told["pending"]) == ("alice", "accepted", ["create"])
    show_result(RESULT, as_json=True)
    assert json.loads(capsys.readouterr().out) == RESULT


def test_people_get_the_document_and_what_is_said_about_it_apart(capsys: pytest.CaptureFixture[str]) -> None:
    show_result(RESULT, as_json=False)
    told = capsys.readouterr()
    assert json.loads(told.out) == RESULT["didDocument"]
    assert "for ever" in told.err
    show_result({"didDocument": {}}, as_json=False)
    assert "not anchored yet" in capsys.readouterr().err


def test_nobody_who_holds_a_did_or_resolves_it_does_things_to_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = {"id": "did:orb:uA:x", "alsoKnownAs": ["urn:a\x9b2Jb\u202e", "ü", "\U000e0001"]}
    told = {"didDocument": document, "didDocumentMetadata": {"canonicalId": "x\x1b]0;y\x07"}}
    show_result(told, as_json=False)
    shown = capsys.readouterr()
    assert json.loads(shown.out) == document
    assert (shown.out + shown.err).replace("\n", "").isprintable()
    show_wallet("alice", replace(accepted(), did="x\x1b[2J"), told, file="/w", as_json=False)
    assert capsys.readouterr().out.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("is_terminal", "expected"),
    [(False, "accepted …\nanchored …\n"), (True, "accepted …..\nanchored …\n")],
    ids=["pipe", "terminal"],
)
def test_waiting_is_told_once_for_each_step(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool, expected: str
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    waiting, wallet = Waiting(), accepted()
    for _ in range(3):
        waiting(wallet)
    waiting(wallet.settled(seen(wallet.promised)))
    assert capsys.readouterr().err == expected
