"""Every option of a broker, in one frozen object.

An option is a field: type, default, kind with its bounds, chapter, explanation. The explanation is what
`penstock broker --help` and docs/reference/settings.md say. Where values come from is in sources.py.
RabbitMQ's defaults are those of its deps/rabbit/Makefile (4.3), unless another version is named.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock.errors import BadSetting
from penstock.settings.address import Address
from penstock.settings.kinds import (
    ADDRESSES,
    FILE,
    NAMES,
    SECRET,
    TEXT,
    choice,
    count,
    duration,
    optional,
    seconds,
    share_or_size,
    size,
)
from penstock.settings.options import Option, option, options_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["OPTIONS", "Settings"]

KIB: Final = 1 << 10
MIB: Final = 1 << 20
TIB: Final = 1 << 40

STORAGE: Final = "Storage"
LISTENERS: Final = "Listeners"
TLS: Final = "TLS"
LIMITS: Final = "Limits"
QUEUES: Final = "Queues"
USERS: Final = "Users"
LOGS: Final = "Logs"
PANEL: Final = "Panel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a broker is told when it starts. Secrets are not in its repr."""

    # Storage
    data: Path | None = option(
        None,
        optional(FILE),
        STORAGE,
        "The folder where durable queues and persistent messages are kept. "
        "With none, everything is in memory and gone when the broker stops.",
    )
    stream_over: int = option(
        64 * KIB,
        size(4 * KIB, 16 * MIB),
        STORAGE,
        "A message body larger than this goes to a file of its own, in pieces, both ways.",
    )
    # RabbitMQ's classic queues keep up to 2048 messages (rabbit_variable_queue.erl), ours references.
    window: int = option(
        16_384,
        count(16, 10_000_000),
        STORAGE,
        "How many messages, of some 64 MiB at most, a durable queue keeps in memory; others wait on disk.",
    )
    disk_free_limit: int = option(
        50_000_000,
        size(0, TIB),
        STORAGE,
        "Publishers are blocked while the data folder's disk has less room than this. RabbitMQ: 50MB.",
    )

    # Listeners
    amqp: tuple[Address, ...] = option(
        (Address("localhost", 5672),),
        ADDRESSES,
        LISTENERS,
        "Where AMQP 0-9-1 is spoken without TLS: HOST:PORT; :PORT is every interface, port 0 a free one.",
    )
    amqps: tuple[Address, ...] = option(
        (),
        ADDRESSES,
        LISTENERS,
        "Where AMQP 0-9-1 is spoken over TLS; the customary port is 5671. Needs amqps_certificate.",
    )
    beanstalk: tuple[Address, ...] = option(
        (),
        ADDRESSES,
        LISTENERS,
        "Where the beanstalk protocol is spoken without TLS; the customary port is 11300. Who comes from "
        "another machine must say who it is, with the line auth USER PASSWORD.",
    )
    beanstalks: tuple[Address, ...] = option(
        (),
        ADDRESSES,
        LISTENERS,
        "Where the beanstalk protocol is spoken over TLS. Needs amqps_certificate.",
    )
    panel: tuple[Address, ...] = option(
        (),
        ADDRESSES,
        LISTENERS,
        "Where the panel is served: the management API in RabbitMQ's forms, its pages and its metrics, over "
        "HTTP; the customary port is 15672.",
    )
    panel_tls: tuple[Address, ...] = option(
        (),
        ADDRESSES,
        LISTENERS,
        "Where the panel is served over TLS; the customary port is 15671. Needs amqps_certificate.",
    )
    panel_hosts: tuple[str, ...] = option(
        (),
        NAMES,
        LISTENERS,
        "Names by which browsers and tools reach the panel, such as panel.example.org. It answers by "
        "addresses, localhost, the machine's name and the hosts of panel and panel_tls without being told; "
        "* is any name, where a proxy before it looks at them.",
    )
    handshake_timeout: float = option(
        10.0,
        duration(0.1, 600),
        LISTENERS,
        "A connection that is not open after this time, TLS and login included, is closed. RabbitMQ: 10s.",
    )
    stop_timeout: float = option(
        10.0,
        duration(0, 3600),
        LISTENERS,
        "How long a broker that is asked to stop waits for what is in flight.",
    )

    # TLS
    amqps_certificate: Path | None = option(
        None, optional(FILE), TLS, "The broker's certificate and those between it and its authority, in PEM."
    )
    amqps_key: Path | None = option(
        None, optional(FILE), TLS, "The certificate's private key, in PEM; with none, it is in the same file."
    )
    amqps_key_password: str | None = option(
        None, optional(SECRET), TLS, "What the private key is encrypted with."
    )
    amqps_client_ca: Path | None = option(
        None,
        optional(FILE),
        TLS,
        "The authorities whose client certificates are believed, in PEM; with none, no client is asked.",
    )
    amqps_client_certificate: Literal["optional", "required"] = option(
        "optional",
        choice("optional", "required"),
        TLS,
        "Whether a client without a certificate from amqps_client_ca is turned away.",
    )
    amqps_login_from: Literal["distinguished_name", "common_name"] = option(
        "distinguished_name",
        choice("distinguished_name", "common_name"),
        TLS,
        "Which name of a client certificate is the user's, with the EXTERNAL mechanism. "
        "RabbitMQ: distinguished_name.",
    )

    # Limits
    max_connections: int = option(
        65_536,
        count(1, 10_000_000),
        LIMITS,
        "How many connections may be open; the limit on open files may be lower. RabbitMQ: no limit.",
    )
    channel_max: int = option(
        2047, count(1, 65_535), LIMITS, "How many channels a connection may open. RabbitMQ: 2047."
    )
    # AMQP 0-9-1 §4.2.3: frame-min-size is 4096.
    frame_max: int = option(
        128 * KIB,
        size(4 * KIB, 16 * MIB),
        LIMITS,
        "The largest frame on an AMQP connection. RabbitMQ: 128KiB.",
    )
    max_message_bytes: int = option(
        128 * MIB,
        size(KIB, TIB),
        LIMITS,
        "The largest message body. RabbitMQ: 16MiB since 4.0, 128MiB before, and never more than 512MiB.",
    )
    # beanstalkd: 65535 bytes, unless -z says otherwise, and never more than 1 GiB.
    max_job_bytes: int = option(
        64 * KIB - 1,
        size(1, 1024 * MIB),
        LIMITS,
        "The largest job that a beanstalk client may put; it is kept in memory. beanstalkd: 65535 bytes.",
    )
    max_queues: int | None = option(
        None, optional(count(1, 10_000_000)), LIMITS, "How many queues there may be, over all virtual hosts."
    )
    heartbeat: int = option(
        60,
        seconds(0, 65_535),
        LIMITS,
        "The time between heartbeats that the broker proposes; 0 is none. RabbitMQ: 60s.",
    )
    # RabbitMQ: 0.4 until 3.x, where its collector could double what was in use; 0.6 since 4.0.
    memory_limit: float = option(
        0.6,
        share_or_size(0.01, 0.95),
        LIMITS,
        "Publishers are blocked while the broker uses more than this share of the machine's memory, "
        "or more than this size. RabbitMQ: 60% since 4.0.",
    )
    max_failed_logins: int | None = option(
        20,
        optional(count(1, 1_000_000)),
        LIMITS,
        "After so many failed logins within failed_login_window an address is refused until it is over.",
    )
    failed_login_window: float = option(
        60.0, duration(1, 86_400), LIMITS, "The span over which the failed logins of an address are counted."
    )

    # Queues
    delivery_limit: int | None = option(
        20,
        optional(count(0, 1_000_000)),
        QUEUES,
        "How often consumers may fail on a message of a quorum queue that sets no x-delivery-limit, "
        "before it dies. RabbitMQ: 20 since 4.0.",
    )
    failure_rule: Literal["4.3", "4.2"] = option(
        "4.3",
        choice("4.3", "4.2"),
        QUEUES,
        "What counts as a failure: 4.3, reject and a lost connection, but not nack; 4.2, all three. "
        "The numbers are the versions of RabbitMQ that do so.",
    )

    beanstalk_jobs: Literal["durable", "transient"] = option(
        "durable",
        choice("durable", "transient"),
        QUEUES,
        "Whether jobs that beanstalk clients put survive a restart, in a broker with a data folder; "
        "a client is told INSERTED when they do.",
    )

    # Users
    default_user: str = option(
        "guest", TEXT, USERS, "The administrator that a new broker begins with. RabbitMQ: guest."
    )
    default_password: str = option("guest", SECRET, USERS, "The default user's password. RabbitMQ: guest.")
    default_vhost: str = option(
        "/", TEXT, USERS, "The virtual host that a new broker begins with. RabbitMQ: /."
    )
    loopback_users: tuple[str, ...] = option(
        ("guest",),
        NAMES,
        USERS,
        "Users that may log in only from the machine the broker runs on. RabbitMQ: guest.",
    )

    definitions: Path | None = option(
        None,
        optional(FILE),
        USERS,
        "A file with users, virtual hosts and permissions, as RabbitMQ exports definitions (JSON); "
        "taken over at every start.",
    )

    # Logs
    log_level: Literal["debug", "info", "warning", "error"] = option(
        "info", choice("debug", "info", "warning", "error"), LOGS, "The least severe that is logged."
    )
    log_format: Literal["auto", "text", "json"] = option(
        "auto",
        choice("auto", "text", "json"),
        LOGS,
        "The form of the logs; auto is text on a terminal, else JSON.",
    )

    message_lives: Literal["off", "on"] = option(
        "off",
        choice("off", "on"),
        LOGS,
        "Whether every step of every message (published, routed, delivered, acked, dead …) is told to the "
        "exchange amq.penstock.lives. A broker that does so carries half as many messages a second, and a "
        "fifth while somebody listens.",
    )

    # Panel: what it shows beside the broker. URLs may have passwords in them.
    panel_dead_letters: str | None = option(
        None,
        optional(SECRET),
        PANEL,
        "The database in which dead letters are kept, as an application's mq_dead_letters has it: "
        "sqlite:///FILE or postgresql://….",
    )
    panel_outbox: str | None = option(
        None, optional(SECRET), PANEL, "The application's database, with the table of its outbox."
    )
    panel_outbox_table: str = option("penstock_outbox", TEXT, PANEL, "The outbox's table.")
    panel_schedules: str | None = option(
        None, optional(SECRET), PANEL, "The database in which workers keep schedules."
    )
    panel_did: str | None = option(
        None, optional(SECRET), PANEL, "The database of a DID domain, for its batches and anchors."
    )
    panel_pipelines: Path | None = option(
        None, optional(FILE), PANEL, "The folder in which Spark pipelines keep how they are doing."
    )
    panel_topology: Path | None = option(
        None,
        optional(FILE),
        PANEL,
        "A file with the exchanges, queues and bindings that the default virtual host should have.",
    )
    panel_broker: str | None = option(
        None,
        optional(SECRET),
        PANEL,
        "The URL by which the panel sends dead letters once more and hears of workers; with none, it comes "
        "as the default user with the default password.",
    )

    # Tables of the file, passed on as they are: penstock.wiring.Defaults.from_tables reads them.
    templates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    proxies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, each in OPTIONS.items():
            object.__setattr__(self, name, each.read(getattr(self, name), "given"))
        for name in ("amqps", "beanstalks", "panel_tls"):
            if getattr(self, name) and not self.amqps_certificate:
                raise BadSetting(
                    f"{name} needs amqps_certificate: TLS without a certificate cannot be",
                    setting="amqps_certificate",
                )
        if self.amqps_client_certificate == "required" and not self.amqps_client_ca:
            raise BadSetting(
                "a required amqps_client_certificate needs amqps_client_ca: say whose are believed",
                setting="amqps_client_ca",
            )

    @property
    def nack_counts(self) -> bool:
        """Whether nack is a failure, as reject is."""
        return self.failure_rule == "4.2"

    @property
    def wiring(self) -> dict[str, Mapping[str, Mapping[str, Any]]]:
        """The templates and proxies as penstock.wiring.Defaults.from_tables takes them."""
        return {"templates": self.templates, "proxies": self.proxies}

    def memory_bytes(self, total: int) -> int:
        """The memory limit in bytes, on a machine with so many."""
        limit = self.memory_limit
        return limit if isinstance(limit, int) else int(total * limit)


#: Every option by name, in order.
OPTIONS: Final[Mapping[str, Option]] = options_of(Settings)
