"""Who there is: names, passwords, tags.

Keeps users and says whether a password is theirs. What a user may do is in permissions.py, how a peer
claims to be one in authentication.py. Records are plain dictionaries for the store.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadUser, UnknownUser
from penstock.server.passwords import (
    COST,
    Cost,
    Proved,
    decoy,
    hash_password,
    is_imported,
    is_password,
    is_stored,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["TAGS", "User", "Users"]

#: RabbitMQ's tags (rabbitmq.com/docs/management#permissions); impersonator may publish in others' names.
TAGS: Final = frozenset({"administrator", "impersonator", "management", "monitoring", "policymaker"})
#: Bytes; a name must fit the user-id property, a short string (AMQP 0-9-1 §4.2.5.3).
LONGEST_NAME: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user. Without a password only a certificate lets it in."""

    name: str
    #: As passwords.hash_password or imported_hash gave it.
    password: str | None = field(default=None, repr=False)
    tags: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not 0 < len(self.name.encode()) <= LONGEST_NAME or not self.name.isprintable():
            raise BadUser(f"{self.name!r}: a user's name has 1 to {LONGEST_NAME} printable bytes")
        for tag in self.tags:
            # Others than TAGS mean something to somebody else: RabbitMQ takes any, definitions bring them.
            if not 0 < len(tag.encode()) <= LONGEST_NAME or not tag.isprintable() or "," in tag:
                raise BadUser(f"{tag!r}: a tag has 1 to {LONGEST_NAME} printable bytes, and no comma")
        if self.password is not None and not is_stored(self.password):
            raise BadUser(f"the stored password of user {self.name!r} cannot be read")

    def record(self) -> dict[str, Any]:
        """What the store keeps."""
        return {"name": self.name, "password": self.password, "tags": sorted(self.tags)}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> User:
        """The user that a record tells of."""
        return cls(name=record["name"], password=record["password"], tags=frozenset(record["tags"]))


class Users:
    """All users of a broker. Change them from one thread; `proved` may be called from any."""

    __slots__ = ("_by_name", "_cost", "_decoy", "_proved")

    def __init__(self, users: Iterable[User] = (), *, cost: Cost = COST) -> None:
        self._by_name = {user.name: user for user in users}
        self._cost = cost
        self._decoy = decoy(cost)
        self._proved = Proved()

    def __repr__(self) -> str:
        return f"<Users {len(self._by_name)}: {', '.join(sorted(self._by_name))}>"

    def __iter__(self) -> Iterator[User]:
        return iter(list(self._by_name.values()))

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def get(self, name: str) -> User:
        """The user of that name.

        Raises:
            UnknownUser: there is none.
        """
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownUser(f"there is no user {name!r}") from None

    def put(self, user: User) -> None:
        """Add a user, or replace the one of the same name."""
        self._by_name[user.name] = user

    def add(
        self, name: str, password: str | None = None, tags: Iterable[str] = (), *, cost: Cost | None = None
    ) -> User:
        """A new user. Slow if it has a password.

        Raises:
            BadUser: name, password or tag cannot be, or the user exists.
        """
        if name in self._by_name:
            raise BadUser(f"user {name!r} exists already")
        stored = None if password is None else hash_password(password, cost or self._cost)
        user = User(name=name, password=stored, tags=frozenset(tags))
        self.put(user)
        return user

    def hashed(self, password: str) -> str:
        """What to keep of a password. Slow: use a thread, any one.

        Raises:
            BadUser: it cannot be.
        """
        return hash_password(password, self._cost)

    def change_password(self, name: str, password: str | None) -> User:
        """Give a user another password, or none. Slow."""
        user = self.get(name)
        stored = None if password is None else self.hashed(password)
        self.put(replace(user, password=stored))
        return self._by_name[name]

    def change_tags(self, name: str, tags: Iterable[str]) -> User:
        """Give a user other tags."""
        self.put(replace(self.get(name), tags=frozenset(tags)))
        return self._by_name[name]

    def delete(self, name: str) -> None:
        """Forget a user."""
        del self._by_name[self.get(name).name]

    def remembered(self, name: str, password: str) -> User | None:
        """The user, if this password was proved before; None tells nothing. Fast."""
        user = self._by_name.get(name)
        if user is None or user.password is None:
            return None
        return user if self._proved.has(password, user.password) else None

    def proved(self, name: str, password: str) -> User | None:
        """The user, if the password is right. Slow, and as slow for users there are not: use a thread.

        Who waited for a thread while another proved the same password does not hash it again. A user whose
        password was imported comes with one of our own; call `renew` with it.
        """
        found = self.remembered(name, password)
        if found is not None:
            return found
        user = self._by_name.get(name)
        if user is None or user.password is None:
            is_password(password, self._decoy)
            return None
        stored, imported = user.password, is_imported(user.password)
        if not is_password(password, stored):
            if imported:
                # That took no time: nobody shall learn from it who has not come yet.
                is_password(password, self._decoy)
            return None
        if imported:
            stored = hash_password(password, self._cost)
        self._proved.add(password, stored)
        return replace(user, password=stored) if imported else user

    def renew(self, proved: User) -> bool:
        """Keep what `proved` hashed anew; False if it did not, or the user has changed meanwhile."""
        user = self._by_name.get(proved.name)
        if user is None or user.password is None or not is_imported(user.password):
            return False
        self.put(replace(user, password=proved.password))
        return True
