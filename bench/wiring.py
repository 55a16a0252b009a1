"""The pure model: what one message costs from publish to ack, and what a million waiting ones weigh.

The measure is a bare loop over the same messages that does what no queue can do without: append,
popleft, one dict insert, one delete. The model routes them through a DEST-NAME proxy to a queue,
hands them to a consumer with a window of 1,000 and acknowledges them, 256 a turn as a socket read
brings them. The waiting million stands in the same queue, so what is measured goes in at its end.
"""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

from table import Row, print_table

from penstock.wiring import Message, Wiring

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATIONS: Final = 20_480
TURN: Final = 256
MILLION: Final = 1_000_000
#: Bytes; the limit for a million waiting messages with 100-byte bodies.
MEMORY_LIMIT: Final = 400_000_000


def main() -> int:
    kept = print_table(
        "publish → deliver → ack, one message",
        [
            Row(name="a bare loop / the model", base=bare, other=model(0), operations=OPERATIONS, limit=12),
            Row(
                name="nothing waits / 1,000,000 wait",
                base=model(0),
                other=model(MILLION),
                operations=OPERATIONS,
                limit=1.5,
            ),
        ],
    )
    bytes_used = int(
        subprocess.run(
            [sys.executable, __file__, "--weigh"], check=True, capture_output=True, text=True
        ).stdout
    )
    light = bytes_used <= MEMORY_LIMIT
    print(f"\n1,000,000 waiting messages of 100 bytes: {bytes_used / 1e6:.0f} MB of at most 400: ", end="")
    print("ok" if light else "MISSED")
    return 0 if kept and light else 1


def messages(count: int) -> list[Message]:
    return [Message(b"%0100d" % number, "work") for number in range(count)]


BATCH: Final = messages(OPERATIONS)


def bare() -> None:
    waiting: deque[Message] = deque()
    unsettled: dict[int, Message] = {}
    for tag, message in enumerate(BATCH):
        waiting.append(message)
        unsettled[tag] = waiting.popleft()
        del unsettled[tag]


def model(waiting: int) -> Callable[[], None]:
    wiring = wired()
    wiring.publish("queue", messages(waiting), 0.0)
    ledger = wiring.connect("bench").open_ledger()
    wiring.consume(ledger, wiring.queue("work"), "bench", prefetch=1000, now=0.0)
    turns = [BATCH[start : start + TURN] for start in range(0, OPERATIONS, TURN)]

    def run() -> None:
        done = 0
        for turn in turns:
            wiring.publish("queue", turn, 0.0)
            for _, first_tag, references in wiring.deliver(0.0):
                done += ledger.ack(first_tag + len(references) - 1, up_to=True)
        assert done == OPERATIONS, done

    return run


def wired() -> Wiring:
    wiring = Wiring()
    wiring.create_proxy("queue", "DEST-NAME")
    wiring.register(wiring.create_queue("work", now=0.0), "queue", "work")
    return wiring


def weigh() -> None:
    """Print how much the process grows by a million waiting messages."""
    wiring = wired()
    before = resident()
    wiring.publish("queue", messages(MILLION), 0.0)
    print(resident() - before)


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


if __name__ == "__main__":
    sys.exit(weigh() if "--weigh" in sys.argv else main())
