"""A process that stores one content after the other until somebody ends it."""

from __future__ import annotations

import os

from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.stored import StoredContents


def write_forever(folder: str) -> None:
    contents = StoredContents(folder)
    while True:
        data = os.urandom(300_000)
        contents.put(resource_hash(data), data)
