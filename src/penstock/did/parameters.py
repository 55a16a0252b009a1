"""Every startup parameter of a DID domain, in one frozen object: names and defaults are Orb's of 2022.

`op_queue_pool` is `--op-queue-pool` on the command line and OP_QUEUE_POOL in the environment; the few that
Orb calls otherwise are in OTHER_NAMES. Those of the broker are inherited: a domain's parameters are the
settings of its messaging, too. Where that time had no such parameter, the default is Orb 1.0's.
Where a domain is, and whom it lets in, is in place_parameters.py; what cannot be together, in
parameter_conflicts.py; where values come from, in parameter_sources.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from penstock.did.durations import go_duration
from penstock.did.parameter_conflicts import CONFLICTS
from penstock.did.parameter_kinds import PUBLIC_URL, SWITCH, factor, milliseconds, names_among
from penstock.did.place_parameters import PlaceParameters
from penstock.errors import BadSetting
from penstock.messaging.redelivery import RedeliveryPolicy
from penstock.messaging.settings import MessagingSettings
from penstock.settings.kinds import choice, count, optional
from penstock.settings.options import Option, option, options_of
from penstock.sidetree.protocol import ALL_PATCHES, ORB_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["OTHER_NAMES", "PARAMETERS", "DidParameters", "flag_of", "variable_of"]

REDELIVERY: Final = "Redelivery"
PUBLISHING: Final = "Publishing"
QUEUE: Final = "Operation queue"
WRITER: Final = "Batch writer"
TASKS: Final = "Tasks"
WITNESSES: Final = "Witnesses"
OPERATIONS: Final = "Unpublished operations"
RESOLUTION: Final = "Resolution"
STORAGE: Final = "Storage"
PROTOCOL: Final = "Protocol"

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
#: What an operation has beside the batch writer's timeout to be anchored in, as Orb's page says.
LIFESPAN_SLACK_S: Final = 60.0

#: Other flags and variables that Orb, then or now, knows a parameter by.
OTHER_NAMES: Final[Mapping[str, str]] = {
    "mq-publisher-pool": "mq_publisher_channel_pool_size",
    "mq-opqueue-pool": "op_queue_pool",
    "mq-op-pool": "op_queue_pool",
    "mq-max-connection-channels": "mq_max_connection_subscriptions",
    "mq-max-connection-subscription": "mq_max_connection_subscriptions",
    "unpublished-operation-store-enabled": "enable_unpublished_operation_store",
    "orb-external-endpoint": "external_endpoint",
    "orb-host-url": "host_url",
    "dev-mode-enabled": "enable_dev_mode",
    "anchor-event-sync-interval": "sync_interval",
    "anchor-event-sync-min-activity-age": "sync_min_activity_age",
}


def flag_of(name: str) -> str:
    """A parameter's name on the command line."""
    return "--" + name.replace("_", "-")


def variable_of(name: str) -> str:
    """A parameter's name in the environment."""
    return name.upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class DidParameters(PlaceParameters):
    """What a DID domain is told when it starts."""

    mq_redelivery: Literal["consumer", "queue"] = option(
        "queue",
        choice("consumer", "queue"),
        REDELIVERY,
        "Who sees to a message that failed: the queue orb.redelivery, or the consumer itself.",
    )
    mq_publisher_confirm_delivery: bool = option(
        default=True,
        kind=SWITCH,
        chapter=PUBLISHING,
        text="Whether a publish waits for the broker's word. It always does: an operation is accepted when "
        "the broker has it.",
    )

    # Operation queue
    op_queue_task_monitor_interval: float = option(
        10.0,
        go_duration(0.1, DAY),
        QUEUE,
        "How often an instance says that it lives, and how often one of them looks for those that do not.",
    )
    op_queue_task_expiration: float = option(
        30.0,
        go_duration(1, DAY),
        QUEUE,
        "An instance that has said nothing for longer is dead: its operations are posted anew.",
    )
    op_queue_max_reposts: int = option(
        20, count(0, 1_000_000), QUEUE, "How often an operation is posted anew; then it is a dead letter."
    )
    op_queue_repost_initial_delay: float = option(
        5.0, go_duration(0, DAY), QUEUE, "How long an operation waits when it is posted anew the first time."
    )
    op_queue_repost_max_delay: float = option(
        60.0, go_duration(0, DAY), QUEUE, "The longest wait of an operation that is posted anew."
    )
    op_queue_repost_multiplier: float = option(
        1.5, factor(1, 1000), QUEUE, "What each further wait is multiplied by."
    )
    op_queue_max_ops_to_repost: int | None = option(
        None,
        optional(count(1, 2**31 - 1)),
        QUEUE,
        "How many operations of one dead instance a run of the monitor posts anew; the next run goes on.",
    )
    op_queue_operation_lifespan: float | None = option(
        None,
        optional(go_duration(1, 3650 * DAY)),
        QUEUE,
        "When the entry of an operation may be deleted, if its instance was recovered and nobody has it; "
        "none is the batch writer's timeout and a minute.",
    )
    op_queue_acked_lifespan: float = option(
        DAY,
        go_duration(1, 3650 * DAY),
        QUEUE,
        "How long an anchored operation is remembered by its id, so that a copy of it that arrives late "
        "is not anchored again. Penstock's own.",
    )
    op_queue_max_contiguous_operations_with_err: int = option(
        10_000, count(1, 1_000_000), QUEUE, "The most operations that have failed before in one batch."
    )
    op_queue_max_contiguous_operations_without_err: int = option(
        10_000, count(1, 1_000_000), QUEUE, "The most operations that have not failed before in one batch."
    )

    # Batch writer
    batch_writer_timeout: int = option(
        60_000,
        milliseconds(1, 86_400_000),
        WRITER,
        "The longest that an operation waits for a batch to be cut, in milliseconds.",
    )

    # Tasks
    task_manager_check_interval: float = option(
        10.0, go_duration(0.1, DAY), TASKS, "How often an instance looks whether a task is to be run."
    )
    data_expiry_check_interval: float = option(
        60.0, go_duration(0.1, DAY), TASKS, "How often expired data are deleted."
    )
    activity_linkset_lifespan: float = option(
        7 * DAY,
        go_duration(60, 3650 * DAY),
        TASKS,
        "How long Offers and Creates in inbox and outbox hold whole linksets, which may have megabytes; then "
        "they tell which anchor is meant, and where it is. Nothing that resolving or replaying needs is "
        "ever deleted. Penstock's own.",
    )

    # Witnesses
    max_witness_delay: float = option(
        600.0, go_duration(1, DAY), WITNESSES, "How long a witness has to answer an offer."
    )
    max_clock_skew: float = option(
        60.0, go_duration(0, HOUR), WITNESSES, "How far the clocks of two domains may be apart."
    )
    witness_store_expiry_period: float = option(
        720.0,
        go_duration(1, 30 * DAY),
        WITNESSES,
        "How long what is known of an offer's witnesses is kept, and an anchor waits for its DIDs' origins.",
    )
    anchor_status_monitoring_interval: float = option(
        5.0, go_duration(0.1, DAY), WITNESSES, "How often anchors without enough proofs are looked at."
    )
    anchor_status_in_process_grace_period: float = option(
        30.0, go_duration(0, DAY), WITNESSES, "How long an anchor waits before other witnesses are asked."
    )
    anchor_status_max_records: int = option(
        500, count(1, 1_000_000), WITNESSES, "How many anchors are looked at each time."
    )
    witness_policy_cache_expiration: float = option(
        30.0, go_duration(0, DAY), WITNESSES, "How long a witness policy is used before it is read again."
    )

    # Unpublished operations
    enable_unpublished_operation_store: bool = option(
        default=False,
        kind=SWITCH,
        chapter=OPERATIONS,
        text="Whether operations count for resolution before they are anchored.",
    )
    unpublished_operation_store_operation_types: tuple[str, ...] = option(
        ("create", "update"),
        names_among("create", "update", "recover", "deactivate"),
        OPERATIONS,
        "Which kinds of them do.",
    )
    unpublished_operation_lifetime: float = option(
        300.0, go_duration(1, 30 * DAY), OPERATIONS, "How long one of them is kept at most."
    )

    # Resolution
    include_published_operations_in_metadata: bool = option(
        default=False,
        kind=SWITCH,
        chapter=RESOLUTION,
        text="Whether a DID is told with its anchored operations. Clients of Orb resolve it from them once "
        "more, and need not trust the domain.",
    )
    include_unpublished_operations_in_metadata: bool = option(
        default=False,
        kind=SWITCH,
        chapter=RESOLUTION,
        text="Whether a DID is told with its operations that are not anchored, as far as they count.",
    )

    # Storage
    cas_type: Literal["local", "ipfs"] = option(
        "local",
        choice("local", "ipfs"),
        STORAGE,
        "Whether hashlinks name the content's CID, too, for who looks for it on IPFS. It is written where "
        "cas-url says, either way: no IPFS node is asked to keep it.",
    )
    cid_version: Literal["0", "1"] = option("1", choice("0", "1"), STORAGE, "The version of those CIDs.")
    ipfs_url: str | None = option(
        None,
        optional(PUBLIC_URL),
        STORAGE,
        "A gateway to IPFS, such as https://ipfs.io: content that no other link of a hashlink leads to is "
        "asked for there, if a link names its CID. With none it is not.",
    )
    anchor_data_uri_media_type: Literal["application/gzip;base64", "application/json"] = option(
        "application/gzip;base64",
        choice("application/gzip;base64", "application/json"),
        STORAGE,
        "How an anchor linkset holds its parts.",
    )

    # Protocol
    sidetree_protocol_versions: tuple[str, ...] = option(
        ("1.0",), names_among(*ORB_VERSIONS), PROTOCOL, "The versions of the protocol that are read."
    )
    current_sidetree_protocol_version: str | None = option(
        None,
        optional(choice(*ORB_VERSIONS)),
        PROTOCOL,
        "The one that new operations are taken by; with none, the newest that is read.",
    )
    enabled_patches: tuple[str, ...] = option(
        tuple(sorted(ALL_PATCHES)),
        names_among(*sorted(ALL_PATCHES)),
        PROTOCOL,
        "What new operations may do to a document. Anchors of other domains are read with all of it. Orb's "
        "nodes throw away batches with `replace` or `ietf-json-patch`: where they are among the followers, "
        "leave these out. Penstock's own.",
    )

    def __post_init__(self) -> None:
        # Named, not super(): a dataclass with slots is made anew, and super() would look for the first.
        MessagingSettings.__post_init__(self)
        for name, each in PARAMETERS.items():
            object.__setattr__(self, name, each.read(getattr(self, name), "given"))
        for setting, is_so, because in CONFLICTS:
            if is_so(self):
                raise BadSetting(f"{setting} {because}", setting=setting)

    @property
    def batch_timeout_s(self) -> float:
        """batch-writer-timeout in seconds."""
        return self.batch_writer_timeout / 1000

    @property
    def operation_lifespan_s(self) -> float:
        """op-queue-operation-lifespan, or what Orb's page says in its place."""
        given = self.op_queue_operation_lifespan
        return self.batch_timeout_s + LIFESPAN_SLACK_S if given is None else given

    @property
    def reposting(self) -> RedeliveryPolicy:
        """How often and after how long an operation is posted anew."""
        return RedeliveryPolicy(
            max_attempts=self.op_queue_max_reposts,
            initial_interval=self.op_queue_repost_initial_delay,
            multiplier=self.op_queue_repost_multiplier,
            max_interval=self.op_queue_repost_max_delay,
        )


#: Every parameter by name, those of messaging first.
PARAMETERS: Final[Mapping[str, Option]] = options_of(DidParameters)
