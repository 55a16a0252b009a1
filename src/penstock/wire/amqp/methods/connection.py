"""The connection class: greeting, limits, farewell (AMQP 0-9-1 reference §1.4 with RabbitMQ's extensions).

Declarations only: `base.py` says how they are read.
"""

from dataclasses import field
from typing import ClassVar

from penstock.wire.amqp.fields import Arguments, Bit, Long, LongStr, Octet, Short, ShortStr
from penstock.wire.amqp.methods.base import BOTH, CLIENT, SERVER, Method, method

__all__ = [
    "ConnectionBlocked",
    "ConnectionClose",
    "ConnectionCloseOk",
    "ConnectionOpen",
    "ConnectionOpenOk",
    "ConnectionSecure",
    "ConnectionSecureOk",
    "ConnectionStart",
    "ConnectionStartOk",
    "ConnectionTune",
    "ConnectionTuneOk",
    "ConnectionUnblocked",
    "ConnectionUpdateSecret",
    "ConnectionUpdateSecretOk",
]


@method(10, 10, "connection.start", CLIENT)
class ConnectionStart(Method):
    """The server's offer: version, mechanisms, what it is and can do."""

    version_major: Octet = 0
    version_minor: Octet = 9
    server_properties: Arguments = field(default_factory=dict)
    mechanisms: LongStr = b"PLAIN"
    locales: LongStr = b"en_US"


@method(10, 11, "connection.start-ok", SERVER)
class ConnectionStartOk(Method):
    """The client's choice of mechanism, its first response, what it is and can do."""

    client_properties: Arguments
    mechanism: ShortStr
    response: LongStr = field(repr=False)
    locale: ShortStr = "en_US"


@method(10, 20, "connection.secure", CLIENT)
class ConnectionSecure(Method):
    """One more question of the mechanism."""

    challenge: LongStr


@method(10, 21, "connection.secure-ok", SERVER)
class ConnectionSecureOk(Method):
    """The answer to it."""

    response: LongStr = field(repr=False)


@method(10, 30, "connection.tune", CLIENT)
class ConnectionTune(Method):
    """The limits the server proposes; zero is no limit."""

    channel_max: Short = 0
    frame_max: Long = 0
    heartbeat: Short = 0


@method(10, 31, "connection.tune-ok", SERVER)
class ConnectionTuneOk(Method):
    """The limits the client settles on."""

    channel_max: Short = 0
    frame_max: Long = 0
    heartbeat: Short = 0


@method(10, 40, "connection.open", SERVER)
class ConnectionOpen(Method):
    """Asks for a virtual host."""

    virtual_host: ShortStr = "/"
    capabilities: ClassVar[ShortStr] = ""
    insist: ClassVar[Bit] = False


@method(10, 41, "connection.open-ok", CLIENT)
class ConnectionOpenOk(Method):
    """The virtual host is there for use."""

    known_hosts: ClassVar[ShortStr] = ""


@method(10, 50, "connection.close", BOTH)
class ConnectionClose(Method):
    """The last word, with its reason and the method that gave it."""

    reply_code: Short
    reply_text: ShortStr
    class_id: Short
    method_id: Short


@method(10, 51, "connection.close-ok", BOTH)
class ConnectionCloseOk(Method):
    """Heard; the socket may go."""


@method(10, 60, "connection.blocked", CLIENT)
class ConnectionBlocked(Method):
    """The server is short of something and reads no more publishes (RabbitMQ)."""

    reason: ShortStr = ""


@method(10, 61, "connection.unblocked", CLIENT)
class ConnectionUnblocked(Method):
    """It reads again (RabbitMQ)."""


@method(10, 70, "connection.update-secret", SERVER)
class ConnectionUpdateSecret(Method):
    """A fresh credential for a connection that is open (RabbitMQ)."""

    new_secret: LongStr = field(repr=False)
    reason: ShortStr


@method(10, 71, "connection.update-secret-ok", CLIENT)
class ConnectionUpdateSecretOk(Method):
    """Taken (RabbitMQ)."""
