"""Founding domains on one machine: each gets an address, a key and places, and finds them again ever after.

What a domain is called is part of all that it signs, so it is chosen once. A port that is taken at the first
start is passed over for the next free one; later it is an error, since others know the domain by it.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from penstock.did.domain.keys import make_key
from penstock.did.domain.parts import is_nearby
from penstock.did.domain.places import Places
from penstock.did.web.serving import BACKLOG, listen
from penstock.errors import BadSetting, CannotListen
from penstock.settings.address import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from socket import socket

    from penstock.did.domain.folder import DataFolder
    from penstock.did.parameters import DidParameters

__all__ = ["HOST", "Founded", "first_free", "found", "hold_port", "words_of"]

HOST: Final = "127.0.0.1"
#: Where the first domain listens, if nobody says otherwise; the others follow.
FIRST_PORT: Final = 8326
#: Ports that are tried before giving up.
TRIED: Final = 200
#: What only one domain can have.
OF_ONE: Final = ("external_endpoint", "host_url", "database_url", "cas_url", "private_key_file")
WORD: Final = "orb"


@dataclass(frozen=True, slots=True, kw_only=True)
class Founded:
    """A domain that can be run."""

    places: Places
    #: Bound already: whoever serves it, however often it is started anew, nobody else takes its port.
    bound: socket
    #: Ports that were taken, and passed over.
    passed_over: Sequence[int] = ()


def words_of(count: int) -> list[str]:
    """What so many domains are called among themselves: one alone is Orb's namesake, and stays the first."""
    return [WORD, *(f"{WORD}{number}" for number in range(2, count + 1))]


def found(count: int, parameters: DidParameters, folder: DataFolder, *, broker: str) -> list[Founded]:
    """So many domains, all of which know each other.

    Args:
        broker: Its URL.

    Raises:
        BadSetting: the parameters do not fit so many domains, or those that are there already.
        CannotListen: an address that cannot be another is taken.
        BadKey: a key can neither be read nor made.
    """
    told = [name for name in OF_ONE if getattr(parameters, name) is not None]
    if count > 1 and told:
        raise BadSetting(f"{told[0]} is one domain's, and {count} are to start", setting=told[0])
    with ExitStack() as opened:
        domains: list[Founded] = []
        for word in words_of(count):
            each = _found_one(word, parameters, folder, broker=broker, after=_last_port(domains))
            opened.callback(each.bound.close)
            domains.append(each)
        known = [_acquainted(each, domains) for each in domains]
        for each in known:
            _key_of(each.places, folder)
            folder.write(each.places)
        opened.pop_all()
    return known


def _key_of(places: Places, folder: DataFolder) -> None:
    """Have its key there: a new one at its first start alone, since others check by it what it has signed."""
    file = Path(places.key)
    if not file.exists() and folder.read(places.word) is not None:
        raise BadSetting(
            f"{file} is not there, and the domain in {folder.path / places.word} has signed with its key: "
            "put that there; another folder has room for another domain",
            setting="private_key_file",
        )
    make_key(file)


def _last_port(domains: Sequence[Founded]) -> int:
    return domains[-1].bound.getsockname()[1] + 1 if domains else FIRST_PORT


def _found_one(
    word: str, parameters: DidParameters, folder: DataFolder, *, broker: str, after: int
) -> Founded:
    base = _known_base(word, parameters, folder)
    bound, passed_over = _bound(base, parameters.host_url, after)
    places = Places(
        base=base or f"http://{Address(*bound.getsockname()[:2])}",
        database=parameters.database_url or folder.database(word),
        storage=parameters.cas_url or folder.storage(word),
        broker=broker,
        key=str(parameters.private_key_file or folder.key(word)),
        word=word,
        parameters=parameters,
    )
    return Founded(places=places, bound=bound, passed_over=passed_over)


def _known_base(word: str, parameters: DidParameters, folder: DataFolder) -> str | None:
    """What the domain is called, as far as that is decided."""
    before, wanted = folder.read(word), parameters.external_endpoint
    if before is not None and wanted is not None and wanted != before.base:
        raise BadSetting(
            f"the domain in {folder.path / word} is {before.base}, and has signed as such: it cannot become "
            f"{wanted}; another folder has room for another domain",
            setting="external_endpoint",
        )
    return wanted if before is None else before.base


def _bound(base: str | None, address: Address | None, after: int) -> tuple[socket, list[int]]:
    if address is not None:
        if base is None and not is_nearby(f"http://{address}"):
            raise BadSetting(
                f"what do others call the domain at {address}? Say --external-endpoint URL",
                setting="external_endpoint",
            )
        # No host is every interface.
        return _listening(address.host or "0.0.0.0", address.port), []  # noqa: S104
    if base is None:
        return first_free(after)
    # What listens here has no TLS: whoever ends it stands before it, on this machine as well.
    if not is_nearby(base) or not base.startswith("http://"):
        raise BadSetting(f"where does {base} listen? Say --host-url HOST:PORT", setting="host_url")
    parts = urlsplit(base)
    return _listening(parts.hostname or HOST, parts.port or 80), []


def _listening(host: str, port: int) -> socket:
    """Listening at once: two sockets that are only bound may have the same port. Who comes early waits."""
    bound = listen(host, port)
    try:
        bound.listen(BACKLOG)
    except OSError as exc:
        bound.close()
        raise CannotListen(f"{host}:{port} cannot be listened on: {exc}", setting="host_url") from exc
    return bound


def first_free(port: int, take: Callable[[str, int], socket] = _listening) -> tuple[socket, list[int]]:
    """A socket on the first port from there on that nobody has, and the ports that somebody has.

    Args:
        port: Where to begin.
        take: Takes a port; by listening on it, or as `hold_port` does.

    Raises:
        CannotListen: all that were tried are taken.
    """
    taken: list[int] = []
    while True:
        try:
            return take(HOST, port), taken
        except CannotListen:
            if len(taken) == TRIED:
                raise
            taken.append(port)
            port += 1


def hold_port(host: str, port: int) -> socket:
    """Keep a port for a process that is to listen on it, in as many lives as it has.

    It stays bound and does not listen: the system gives it to nobody, and who asks to reuse it can listen.

    Raises:
        CannotListen: somebody has it.
    """
    _listening(host, port).close()
    return listen(host, port)


def _acquainted(domain: Founded, domains: Sequence[Founded]) -> Founded:
    """It follows all the others, and has them witness."""
    others = [each.places.iris.service for each in domains if each is not domain]
    parameters = domain.places.parameters
    asked = replace(
        parameters,
        follow=tuple(dict.fromkeys((*parameters.follow, *others))),
        invite_witness=tuple(dict.fromkeys((*parameters.invite_witness, *others))),
    )
    return replace(domain, places=replace(domain.places, parameters=asked))
