"""Startup parameters that say where a domain is, what it keeps things in, and whom it lets in.

By Orb's names where Orb has one. What is not given is made up by whoever starts the domain: a folder has room
for all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from penstock.did.durations import go_duration
from penstock.did.parameter_kinds import ADDRESS, PUBLIC_URL, STORAGE_URL, SWITCH, WITNESS_POLICY
from penstock.messaging.settings import BROKER, MessagingSettings
from penstock.settings.kinds import FILE, NAMES, SECRET, choice, optional
from penstock.settings.options import option

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.settings.address import Address

__all__ = ["PlaceParameters"]

DOMAIN: Final = "Domain"
FEDERATION: Final = "Federation"

DAY: Final = 24 * 60 * 60

_auth_policy: Final = choice("accept-all", "accept-list")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceParameters(MessagingSettings):
    """What a domain is told about itself and its neighbours."""

    # Broker: as any application's, but that a domain has one beside it, not inside.
    mq_url: str | None = option(
        None,
        optional(SECRET),
        BROKER,
        "The broker: amqp:// or amqps://, RabbitMQ or a Penstock, several with commas between for a cluster; "
        "with none, one is started with the domain.",
    )
    mq_data: Path | None = option(  # noqa: RUF009  an option is a dataclass field, made by a function of ours
        None,
        optional(FILE),
        BROKER,
        "Where the broker that is started with the domain keeps its queues; with none, in the data folder.",
    )

    # Domain
    external_endpoint: str | None = option(
        None,
        optional(PUBLIC_URL),
        DOMAIN,
        "The URL that others know the domain by. It is part of what the domain signs: it never changes.",
    )
    host_url: Address | None = option(  # noqa: RUF009  an option is a dataclass field, made by a function of ours
        None, optional(ADDRESS), DOMAIN, "Where the domain listens; with none, where its own URL leads."
    )
    database_url: str | None = option(
        None,
        # A URL may hold a password: it is treated as the secret it is.
        optional(SECRET),
        DOMAIN,
        "The domain's records: sqlite:///FILE or postgresql://…; with none, SQLite in the data folder.",
    )
    cas_url: str | None = option(
        None,
        optional(STORAGE_URL),
        DOMAIN,
        "Where contents are stored: a folder, or a URL such as s3://bucket/cas; with none, in the data "
        "folder. Penstock's own.",
    )
    private_key_file: Path | None = option(  # noqa: RUF009  as above
        None,
        optional(FILE),
        DOMAIN,
        "The key that the domain signs with, in PEM: Ed25519 or P-256; made at the first start. "
        "Penstock's own.",
    )
    operator_token: str | None = option(
        None,
        optional(SECRET),
        DOMAIN,
        "What whoever changes the domain over HTTP must show: its witness policy, its lists, its neighbours; "
        "with none nobody may. Penstock's own.",
    )
    enable_dev_mode: bool = option(
        default=False,
        kind=SWITCH,
        chapter=DOMAIN,
        text="Whether other domains are reached without TLS, and at addresses of this very machine. A domain "
        "on loopback reaches its neighbours there without it, anyway.",
    )

    # Federation
    allowed_origins: tuple[str, ...] = option(
        ("*",),
        NAMES,
        FEDERATION,
        "The anchor origins of operations that are taken, until somebody changes them over HTTP; * is any.",
    )
    allowed_origins_cache_expiration: float = option(
        60.0, go_duration(0, DAY), FEDERATION, "How long they are used before they are read again."
    )
    unchecked_authors: tuple[str, ...] = option(
        (),
        NAMES,
        FEDERATION,
        "Services whose anchors are taken though no proof on them can be checked here, as on those of Orb's "
        "domains that sign with JsonWebSignature2020; * is any. Operations are checked, either way. "
        "Penstock's own.",
    )
    follow_auth_policy: Literal["accept-all", "accept-list"] = option(
        "accept-all", _auth_policy, FEDERATION, "Who may follow the domain: everybody, or a list."
    )
    follow_accept_list: tuple[str, ...] = option(
        (),
        NAMES,
        FEDERATION,
        "The services on that list, until somebody changes it over HTTP. Penstock's own.",
    )
    invite_witness_auth_policy: Literal["accept-all", "accept-list"] = option(
        "accept-all",
        _auth_policy,
        FEDERATION,
        "Whose anchors the domain witnesses: everybody's, or a list's.",
    )
    invite_witness_accept_list: tuple[str, ...] = option(
        (),
        NAMES,
        FEDERATION,
        "The services on that list, until somebody changes it over HTTP. Penstock's own.",
    )
    follow: tuple[str, ...] = option(
        (), NAMES, FEDERATION, "Services that the domain follows from its first start on. Penstock's own."
    )
    invite_witness: tuple[str, ...] = option(
        (), NAMES, FEDERATION, "Services that it asks to witness its anchors, likewise. Penstock's own."
    )
    sync_interval: float = option(
        60.0,
        go_duration(0.1, DAY),
        FEDERATION,
        "How often the outboxes of those that the domain follows are read for what it was not told of.",
    )
    sync_min_activity_age: float = option(
        60.0, go_duration(0, DAY), FEDERATION, "How old those must be; younger ones may be on their way."
    )
    witness_policy: str | None = option(
        None,
        optional(WITNESS_POLICY),
        FEDERATION,
        "The witness policy until somebody changes it, such as OutOf(1,system); with none, all witnesses "
        "that answer when an anchor is made must sign, one at least. Penstock's own.",
    )
