from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from penstock.did.credentials import P_256, SigningKey
from penstock.did.domain import keys
from penstock.did.domain.keys import make_key, read_key
from penstock.errors import BadKey
from penstock.server.logs import redacted

if TYPE_CHECKING:
    from pathlib import Path


def test_a_key_is_made_once_and_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "orb" / "key.pem"
    made = make_key(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert make_key(file).public == read_key(file).public == made.public
    assert [each.name for each in file.parent.iterdir()] == ["key.pem"]


def test_a_key_of_the_operators_own_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    own = SigningKey.generate(P_256)
    file.write_bytes(own.pem)
    assert make_key(file).public == own.public


def test_all_who_make_it_at_once_have_the_same(tmp_path: Path) -> None:
    file, found = tmp_path / "key.pem", []
    making = [threading.Thread(target=lambda: found.append(make_key(file).public)) for _ in range(8)]
    for each in making:
        each.start()
    for each in making:
        each.join()
    assert len(found) == 8
    assert set(found) == {read_key(file).public}


def test_what_is_no_key_is_said_so(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    with pytest.raises(BadKey, match=r"key\.pem cannot be read: No such file"):
        read_key(file)
    file.write_text("a secret")
    with pytest.raises(BadKey, match=r"key\.pem cannot be used: no private key in PEM") as caught:
        make_key(file)
    # Nothing of that looks like a secret to who tells it.
    assert redacted(str(caught.value)) == str(caught.value)
    with pytest.raises(BadKey, match="no key can be made in"):
        make_key(file / "key.pem")


def test_the_name_of_a_key_is_on_disk_before_anything_is_signed_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(keys, "sync", synced.append)
    make_key(tmp_path / "key.pem")
    assert synced == [tmp_path]
