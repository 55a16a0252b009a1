"""Places: all that a process on any machine must know to open parts of a domain. Pure.

It goes there as JSON: in the environment of a process, or as an option of a Spark source. It holds the
passwords of database and broker, and is to be treated like them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from penstock.did.federation.iris import Iris
from penstock.did.parameters import PARAMETERS, DidParameters
from penstock.did.queues import DomainQueues
from penstock.errors import BadSetting
from penstock.sidetree.methods import ORB_METHOD, Method
from penstock.sidetree.protocol import ORB_VERSIONS, Protocols

__all__ = ["Places"]

#: The members that are texts; `parameters` is the other one.
TEXTS: Final = ("base", "database", "storage", "broker", "key", "word")


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where a domain is, and where it keeps what it has."""

    #: Its public URL, without a slash at its end: https://orb.example.com
    base: str
    #: The URL of its records; several processes open it.
    database: str = field(repr=False)
    #: The URL, or the folder, of its contents.
    storage: str
    #: The URL of its broker.
    broker: str = field(repr=False)
    #: The file of the key that it signs with.
    key: str
    #: What its queues' names begin with: domains that share a broker have one each.
    word: str = "orb"
    parameters: DidParameters = field(default_factory=DidParameters, repr=False)

    @property
    def iris(self) -> Iris:
        """What the domain and its service are called."""
        return Iris(self.base)

    @property
    def queues(self) -> DomainQueues:
        """What its queues are called."""
        return DomainQueues(self.word)

    @property
    def host(self) -> str:
        """Host, and port if it tells one."""
        return urlsplit(self.base).netloc

    @property
    def method(self) -> Method:
        """How its DIDs are written, and by which protocol they live."""
        parameters = self.parameters
        protocols = Protocols(
            (ORB_VERSIONS[name] for name in parameters.sidetree_protocol_versions),
            written=parameters.current_sidetree_protocol_version,
        )
        return replace(
            ORB_METHOD,
            domain=self.host,
            protocols=protocols,
            lists_published=parameters.include_published_operations_in_metadata,
            lists_unpublished=parameters.include_unpublished_operations_in_metadata,
        )

    @property
    def intake_method(self) -> Method:
        """The same for what is taken in here, which may be less than what others may have anchored."""
        method = self.method
        return replace(method, protocols=method.protocols.with_patches(self.parameters.enabled_patches))

    # As JSON

    def to_json(self) -> str:
        """All of it, for another process."""
        texts = {name: getattr(self, name) for name in TEXTS}
        return msgspec.json.encode({**texts, "parameters": _told(self.parameters)}).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Places:
        """What `to_json` has written.

        Raises:
            BadSetting: it is something else.
        """
        try:
            found = msgspec.json.decode(text, type=dict[str, Any])
            texts = {name: msgspec.convert(found[name], str) for name in TEXTS}
            told = msgspec.convert(found["parameters"], dict[str, Any])
        except (msgspec.MsgspecError, KeyError, UnicodeDecodeError) as exc:
            raise BadSetting(f"these are no places of a domain: {exc}", setting="places") from exc
        strange = ", ".join(name for name in told if name not in PARAMETERS)
        if strange:
            raise BadSetting(f"the places of a domain tell of {strange}, unknown here", setting="places")
        return cls(**texts, parameters=DidParameters(**told))


def _told(parameters: DidParameters) -> dict[str, Any]:
    """The parameters that are not as they always are; every kind reads its own text."""
    values = {name: getattr(parameters, name) for name in PARAMETERS}
    given = {name: value for name, value in values.items() if value != PARAMETERS[name].default}
    return {name: _plain(value) for name, value in given.items()}


def _plain(value: Any) -> Any:
    # An address is a tuple, too; those that are lists are exactly tuples.
    if type(value) is tuple:
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
