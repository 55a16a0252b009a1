"""Penstock against Debian's RabbitMQ over AMQP, both started here, taking turns on the same machine.

    python bench/broker [--quick] [--ours penstock|rabbitmq|relay] [row…]

`--ours rabbitmq` measures RabbitMQ against itself: ratios far from 1 then say that the machine is too busy.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import signal
import sys
from typing import Final

import backlog
import fanout
import idle
import reply
import throughput
from ours import start_penstock
from peers import PeerFailed, ended, wait_ready
from rabbitmq import start_rabbitmq
from relay import start_relay
from report import Row, measure_row, print_heading, print_row

STARTERS: Final = {"penstock": start_penstock, "rabbitmq": start_rabbitmq, "relay": start_relay}
ROWS: Final = {
    row.key: row for row in (*throughput.ROWS, *backlog.ROWS, *fanout.ROWS, *reply.ROWS, *idle.ROWS)
}
ROUNDS: Final = 5
QUICK_ROUNDS: Final = 3


def main() -> int:
    options = parsed()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the servers are ended
    # Servers inherit it; five thousand connections are as many files at either end.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    rows = [ROWS[key] for key in options.rows or ROWS]
    print_heading("RabbitMQ", options.ours)
    # The fresh ones first, on servers of their own that end with them.
    groups = [[row] for row in rows if row.is_fresh] + [[row for row in rows if not row.is_fresh]]
    try:
        kept = [run(group, options.ours, quick=options.quick) for group in groups if group]
    except PeerFailed as failed:
        sys.exit(str(failed))
    return 0 if all(kept) else 1


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/broker", description=__doc__.partition("\n")[0])
    parser.add_argument("rows", nargs="*", metavar="row", help=f"of {', '.join(ROWS)}; all if none")
    parser.add_argument("--quick", action="store_true", help="fewer messages and rounds: under four minutes")
    parser.add_argument("--ours", choices=STARTERS, default="penstock", help="what RabbitMQ is compared with")
    options = parser.parse_args()
    if unknown := set(options.rows) - set(ROWS):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    return options


def run(rows: list[Row], ours: str, *, quick: bool) -> bool:
    """Measure and print rows on one pair of servers; whether all limits are kept."""
    with contextlib.ExitStack() as servers:
        starters = (start_rabbitmq, STARTERS[ours], start_relay)
        base, other, relay = [servers.enter_context(ended(start())) for start in starters]
        for peer in (base, other, relay):
            wait_ready(peer)
        verdicts = []
        for row in rows:
            peers = [base, other, relay] if row.has_ceiling else [base, other]
            count = row.quick_count if quick else row.count
            figures = measure_row(row, peers, count, QUICK_ROUNDS if quick else ROUNDS)
            verdicts.append(print_row(row, figures))
    return all(verdicts)


if __name__ == "__main__":
    sys.exit(main())
