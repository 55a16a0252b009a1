from __future__ import annotations

import pytest

from penstock.errors import BadUser
from penstock.server.passwords import (
    COST,
    Cost,
    Proved,
    decoy,
    hash_password,
    imported_hash,
    is_imported,
    is_password,
    is_stored,
)

FAST = Cost(4, 8, 1)
#: By RabbitMQ's algorithm of that name → its hash of "test12"; the first is the example of its manual.
IMPORTED = {
    "rabbit_password_hashing_sha256": "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR",
    "rabbit_password_hashing_sha512": "kI3GChuNuIYf8lRbCCxZjgjKwsY19ns6+uFO0zcXRBGA/XGJPYD8OWMy7EB8TaOm"
    "AzjP2azv84GbINYwX2cDWb4DHnc=",
}


def test_a_password_is_known_again_and_another_is_not() -> None:
    stored = hash_password("s3cret", FAST)
    assert is_password("s3cret", stored)
    assert not is_password("S3cret", stored)
    assert not is_password("", stored)


def test_the_stored_text_carries_its_parameters_and_not_the_password() -> None:
    stored = hash_password("s3cret", FAST)
    assert stored.startswith("scrypt$ln=4,r=8,p=1$")
    assert "s3cret" not in stored
    assert is_stored(stored)


def test_the_usual_cost_is_owasps() -> None:
    assert (COST.log_n, COST.r, COST.p) == (14, 8, 5)
    assert is_password("s3cret", hash_password("s3cret"))


def test_the_same_password_is_stored_differently_each_time() -> None:
    assert hash_password("s3cret", FAST) != hash_password("s3cret", FAST)


@pytest.mark.parametrize("password", ["", "x" * 1025], ids=["empty", "endless"])
def test_some_passwords_cannot_be(password: str) -> None:
    with pytest.raises(BadUser, match="between 1 and 1024 bytes"):
        hash_password(password, FAST)
    assert not is_password(password, decoy(FAST))


@pytest.mark.parametrize(
    "text", ["", "s3cret", "scrypt$ln=4,r=8,p=1$", "md5$x$y", "scrypt$ln=999,r=8,p=1$aaaaaaaa$bbbbbbbb"]
)
def test_a_text_that_is_no_stored_password_fits_nothing(text: str) -> None:
    assert not is_stored(text)
    assert not is_password("s3cret", text)


@pytest.mark.parametrize("algorithm", IMPORTED)
def test_a_hash_of_rabbitmqs_is_believed(algorithm: str) -> None:
    stored = imported_hash(algorithm, IMPORTED[algorithm])
    assert (is_stored(stored), is_imported(stored)) == (True, True)
    assert is_password("test12", stored)
    assert not is_password("test13", stored)
    assert not is_password("test12" * 200, stored)
    assert not is_imported(hash_password("test12", FAST))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kI3G=?", "a password_hash is base64"),
        ("kI3GCg==", "a password_hash by rabbit_password_hashing_sha256 has 36 bytes, not 4"),
        (IMPORTED["rabbit_password_hashing_sha512"], "has 36 bytes, not 68"),
        ("ü", "a password_hash is base64"),
    ],
)
def test_what_is_no_hash_of_rabbitmqs_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadUser, match=why):
        imported_hash("rabbit_password_hashing_sha256", text)


def test_nothing_fits_a_decoy() -> None:
    assert is_stored(decoy(FAST))
    assert not is_password("s3cret", decoy(FAST))


def test_a_proved_password_is_remembered_for_that_stored_one_only() -> None:
    proved = Proved()
    proved.add("s3cret", "stored")
    assert proved.has("s3cret", "stored")
    assert not proved.has("S3cret", "stored")
    assert not proved.has("s3cret", "stored anew")


def test_the_one_not_used_for_longest_makes_room() -> None:
    proved = Proved(most=2)
    proved.add("a", "stored")
    proved.add("b", "stored")
    assert proved.has("a", "stored")
    proved.add("c", "stored")
    assert [proved.has(password, "stored") for password in "abc"] == [True, False, True]
    assert len(proved) == 2
