"""Passwords: hashed with scrypt, compared in constant time, and remembered for a while once proved.

A stored password carries its own parameters, so that they can be raised without asking anybody for a
password again. Hashing takes a good part of a second on purpose: call it in a thread. RabbitMQ's own
hashes, which take no time, are believed until somebody proves one: then it is hashed anew.
"""

from __future__ import annotations

import binascii
import hmac
import re
import secrets
from base64 import b64decode, b64encode
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b, scrypt, sha256, sha512
from threading import Lock
from typing import Final

from penstock.errors import BadUser

__all__ = [
    "CHEAP",
    "COST",
    "Cost",
    "Proved",
    "decoy",
    "hash_password",
    "imported_hash",
    "is_imported",
    "is_password",
    "is_stored",
]

SALT_BYTES: Final = 16
HASH_BYTES: Final = 32
#: Bytes; nobody's password is longer, and a login attempt must not choose how much is hashed.
LONGEST: Final = 1024
_STORED: Final = re.compile(
    r"scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([\w+/=]{8,})\$([\w+/=]{8,})", re.ASCII
)
#: RabbitMQ's modules → their digests (rabbitmq.com/docs/passwords); its MD5 is not believed.
IMPORTED: Final = {"rabbit_password_hashing_sha256": sha256, "rabbit_password_hashing_sha512": sha512}
IMPORTED_SALT_BYTES: Final = 4
_IMPORTED: Final = re.compile(rf"({'|'.join(IMPORTED)})\$([\w+/=]{{8,}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a hash costs: 2**log_n · 128 · r bytes of memory, and p times the time for it."""

    log_n: int
    r: int
    p: int


#: 16 MiB and a third of a second: among OWASP's equal choices (Password Storage Cheat Sheet) the one with
#: the least memory but one, because many may log in at once.
COST: Final = Cost(14, 8, 5)
#: For a password that is printed in the manual anyway: it gains nothing from costing time at every start.
CHEAP: Final = Cost(10, 8, 1)


def hash_password(password: str, cost: Cost = COST) -> str:
    """The text to store for a password. Slow.

    Raises:
        BadUser: the password is empty or too long.
    """
    secret = password.encode()
    if not 0 < len(secret) <= LONGEST:
        raise BadUser(f"a password has between 1 and {LONGEST} bytes, not {len(secret)}")
    salt = secrets.token_bytes(SALT_BYTES)
    return _text(cost, salt, _hash(secret, salt, cost, HASH_BYTES))


def imported_hash(algorithm: str, text: str) -> str:
    """The text to store for a hash of RabbitMQ's: a salt and the digest of salt and password, in base64.

    Args:
        algorithm: One of IMPORTED.

    Raises:
        BadUser: the text is no such hash.
    """
    try:
        size = len(b64decode(text, validate=True))
    except (binascii.Error, ValueError) as wrong:
        raise BadUser(f"a password_hash is base64: {wrong}") from wrong
    expected = IMPORTED_SALT_BYTES + IMPORTED[algorithm]().digest_size
    if size != expected:
        raise BadUser(f"a password_hash by {algorithm} has {expected} bytes, not {size}")
    return f"{algorithm}${text}"


def is_password(password: str, stored: str) -> bool:
    """Whether this is the password that was stored. Slow, whatever the answer, unless it is imported."""
    secret = password.encode()
    if len(secret) > LONGEST:
        return False
    if found := _IMPORTED.fullmatch(stored):
        both = b64decode(found[2])
        salt, expected = both[:IMPORTED_SALT_BYTES], both[IMPORTED_SALT_BYTES:]
        return hmac.compare_digest(IMPORTED[found[1]](salt + secret).digest(), expected)
    if found := _STORED.fullmatch(stored):
        cost = Cost(*(int(number) for number in found.groups()[:3]))
        salt, expected = b64decode(found[4]), b64decode(found[5])
        return hmac.compare_digest(_hash(secret, salt, cost, len(expected)), expected)
    return False


def is_stored(text: str) -> bool:
    """Whether the text can be a stored password."""
    return _STORED.fullmatch(text) is not None or is_imported(text)


def is_imported(stored: str) -> bool:
    """Whether it is a hash of RabbitMQ's, to be made anew as soon as the password is known."""
    return _IMPORTED.fullmatch(stored) is not None


def decoy(cost: Cost = COST) -> str:
    """A stored password that nothing matches, to spend the same time on users that do not exist."""
    return _text(cost, secrets.token_bytes(SALT_BYTES), secrets.token_bytes(HASH_BYTES))


class Proved:
    """The passwords proved lately, so that a thousand clients that come back cost one hash, not a thousand.

    Kept are keyed digests over stored and given password: they tell nothing without this process's key, and a
    changed password no longer matches. Safe to use from several threads.
    """

    __slots__ = ("_digests", "_key", "_lock", "_most")

    def __init__(self, most: int = 1024) -> None:
        self._most = most
        self._key = secrets.token_bytes(blake2b.MAX_KEY_SIZE)
        self._digests: OrderedDict[bytes, None] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._digests)

    def has(self, password: str, stored: str) -> bool:
        """Whether this password was proved for this stored one. Fast."""
        digest = self._digest(password, stored)
        with self._lock:
            if digest not in self._digests:
                return False
            self._digests.move_to_end(digest)
            return True

    def add(self, password: str, stored: str) -> None:
        """Remember; the one not used for longest makes room."""
        digest = self._digest(password, stored)
        with self._lock:
            self._digests[digest] = None
            if len(self._digests) > self._most:
                self._digests.popitem(last=False)

    def _digest(self, password: str, stored: str) -> bytes:
        # The stored text has a fixed alphabet without zeros, so the two cannot run into each other.
        return blake2b(f"{stored}\0{password}".encode(), digest_size=32, key=self._key).digest()


def _hash(secret: bytes, salt: bytes, cost: Cost, size: int) -> bytes:
    n = 1 << cost.log_n
    # What OpenSSL reckons (EVP_PBE_scrypt), and a little more.
    memory = 128 * cost.r * (n + cost.p + 2) + (1 << 20)
    return scrypt(secret, salt=salt, n=n, r=cost.r, p=cost.p, maxmem=memory, dklen=size)


def _text(cost: Cost, salt: bytes, digest: bytes) -> str:
    parameters = f"ln={cost.log_n},r={cost.r},p={cost.p}"
    return f"scrypt${parameters}${b64encode(salt).decode()}${b64encode(digest).decode()}"
