from __future__ import annotations

import os
import stat
from pathlib import Path
from threading import Event, Thread

import pytest

from penstock.did.client.folder import WalletFolder, default_folder
from penstock.errors import NotInWallet, WalletError
from tests.did.client.lives import created
from tests.did.endless import ENDLESS


def written(folder: WalletFolder, name: str = "alice") -> WalletFolder:
    with folder.alone(name):
        folder.write(name, created(name))
    return folder


def test_what_is_written_is_read_again(folder: WalletFolder) -> None:
    written(folder)
    assert folder.read("alice") == created()
    assert folder.names() == ["alice"]
    assert "1 DIDs" in repr(folder)


def test_nobody_else_can_read_it(folder: WalletFolder) -> None:
    before = os.umask(0)
    try:
        written(folder)
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(each.stat().st_mode) for each in folder.path.iterdir()}
    assert (modes, stat.S_IMODE(folder.path.stat().st_mode)) == ({0o600}, 0o700)


def test_a_write_that_fails_leaves_what_was_there(
    folder: WalletFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(folder)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WalletError, match="No space left"):
        folder.write("alice", created("bob"))
    assert folder.read("alice") == created()


def test_a_did_is_found_by_its_name_and_by_all_its_forms(folder: WalletFolder) -> None:
    wallet = created()
    written(written(folder), "bob")
    forms = ["alice", wallet.short_form, wallet.long_form, f"did:orb:uEiAnchor:{wallet.suffix}"]
    assert [folder.name_of(form) for form in forms] == ["alice"] * 4
    for stranger in ("carol", "did:orb:uAAA:EiStranger"):
        with pytest.raises(NotInWallet):
            folder.name_of(stranger)


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 101])
def test_a_name_is_no_path(folder: WalletFolder, name: str) -> None:
    with pytest.raises(WalletError, match="no name"):
        folder.read(name)


@pytest.mark.parametrize(
    "text", [b"", b"{}", b'{"layout":2}', b"\xff", b'{"did":"\xff"}', b'{"initial":{"delta":' + ENDLESS]
)
def test_what_is_no_wallet_is_left_alone(folder: WalletFolder, text: bytes) -> None:
    written(folder).file("alice").write_bytes(text)
    with pytest.raises(WalletError, match="no wallet"):
        folder.read("alice")


def test_a_folder_that_cannot_be_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WalletError, match="cannot be written"), WalletFolder(tmp_path / "file").alone("x"):
        pass


def test_two_who_use_a_did_wait_for_each_other(folder: WalletFolder) -> None:
    order, begun = [], Event()

    def second() -> None:
        begun.set()
        with folder.alone("alice"):
            order.append("second")

    with folder.alone("alice"):
        thread = Thread(target=second)
        thread.start()
        begun.wait(30)
        with folder.alone("bob"):
            thread.join(0.05)
            order.append("first")
    thread.join(30)
    assert order == ["first", "second"]


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"PENSTOCK_WALLET": "/w", "HOME": "/h"}, "/w"),
        ({"XDG_DATA_HOME": "/d", "HOME": "/h"}, "/d/penstock/wallet"),
        ({"HOME": "/h"}, "/h/.local/share/penstock/wallet"),
    ],
)
def test_a_users_wallet_is_among_the_users_data(environ: dict[str, str], expected: str) -> None:
    assert default_folder(environ) == Path(expected)
