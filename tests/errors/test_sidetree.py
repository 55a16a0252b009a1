from __future__ import annotations

import pickle

from penstock.errors import BadBatchFile


def test_a_bad_file_is_named_and_travels_from_executors_to_the_driver() -> None:
    sent = pickle.loads(pickle.dumps(BadBatchFile("chunk", "too large")))  # noqa: S301  made a line ago
    assert (sent.file, sent.reason, str(sent)) == ("chunk", "too large", "chunk: too large")
