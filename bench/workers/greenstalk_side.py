"""greenstalk: the loop that its documentation shows, reserve and delete, with Keno Antigen's job in JSON.

`python greenstalk_side.py send` sends the jobs, `python greenstalk_side.py` does them.
"""

from __future__ import annotations

import json
import sys
from urllib.parse import urlsplit

import greenstalk
from counting import BROKER, JOBS, QUEUE, count

where = urlsplit(BROKER)
ADDRESS = (where.hostname or "127.0.0.1", where.port or 11300)


def handle(content: dict[str, int]) -> None:
    assert isinstance(content["number"], int)
    count()


HANDLERS = {"/number": handle}


def send() -> None:
    with greenstalk.Client(ADDRESS, use=QUEUE) as client:
        for number in range(JOBS):
            client.put(json.dumps({"route": "/number", "content": {"number": number}}))


def work() -> None:
    with greenstalk.Client(ADDRESS, watch=QUEUE) as client:
        while True:
            job = client.reserve()
            said = json.loads(job.body)
            HANDLERS[said["route"]](said["content"])
            client.delete(job)


if __name__ == "__main__":
    send() if "send" in sys.argv else work()
